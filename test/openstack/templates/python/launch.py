"""Runs one OpenStack program that Debian's libraries hold without its script.

usage: launch.py MODULE:FUNCTION NAME ARGUMENT...

BED_AWAIT in the environment is a port on loopback: the program runs once somebody listens there, and
is imported in the meantime.
"""

import gc
import importlib
import os
import sys

# Named here, before a program has eventlet replace them: a hub must not be made before it forks.
from socket import socket
from time import sleep


def await_port(port):
    while True:
        with socket() as connection:
            if connection.connect_ex(('127.0.0.1', port)) == 0:
                return
        sleep(0.1)


module, function = sys.argv[1].split(':')
sys.argv = sys.argv[2:]

# Importing makes much and leaves no garbage: without the collector, which eventlet calls for every
# lock that it replaces, it takes a third less.
gc.disable()
collect, gc.collect = gc.collect, lambda *_: 0
program = getattr(importlib.import_module(module), function)
gc.collect = collect
gc.freeze()
gc.enable()
gc.set_threshold(20000, 20, 20)  # a sixth of Neutron's time was spent looking for garbage

if 'BED_AWAIT' in os.environ:
    await_port(int(os.environ['BED_AWAIT']))

sys.exit(program())
