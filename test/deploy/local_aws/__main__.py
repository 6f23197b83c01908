"""Starts ministack 1.4.21 with some of its defects fixed; each file here has those of one service."""

import sys

import functions
import messages
import stacks
import tables
from ministack.app import main

stacks.fix()
functions.fix()
messages.fix()
tables.fix()
sys.exit(main())
