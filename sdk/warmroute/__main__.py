"""``python -m warmroute`` is the ``warmroute`` command."""

from warmroute.cli import main

if __name__ == "__main__":
    main()
