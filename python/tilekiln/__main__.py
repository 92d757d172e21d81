"""`python -m tilekiln` is the command `tilekiln`."""

import sys

from tilekiln.cli import main

if __name__ == "__main__":
    sys.exit(main())
