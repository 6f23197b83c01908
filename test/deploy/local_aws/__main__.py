"""Starts ministack 1.4.21 with some of its defects fixed; each file here has those of one service."""

import sys

import functions
import stacks
import tables
import tracing
from ministack.app import main

stacks.fix()
functions.fix()
tracing.fix()
tables.fix()
sys.exit(main())
