"""Lets `python -m bakeoff` be the `bakeoff` command."""

import sys

from bakeoff.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
