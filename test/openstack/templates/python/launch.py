"""Runs one OpenStack program that Debian's libraries hold without its script.

usage: launch.py MODULE:FUNCTION NAME ARGUMENT...
"""

import gc
import importlib
import sys

module, function = sys.argv[1].split(':')
sys.argv = sys.argv[2:]

# Importing makes much and leaves no garbage: without the collector it takes a tenth less.
gc.disable()
program = getattr(importlib.import_module(module), function)
gc.freeze()
gc.enable()

sys.exit(program())
