"""One file for each format of recorded traffic; ``formats`` lists them."""
