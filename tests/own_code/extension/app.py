"""A program whose time is spent in an extension in C, in a callback and in a module of Python's."""
import json

import ext


def after(total):
    return len(json.dumps([total] * 200))


def work():
    return sum(ext.run(4000, after) for _ in range(500))


print(work())
