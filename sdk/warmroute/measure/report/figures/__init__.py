"""The figures of a report: matplotlib draws them, the page colours them."""
