"""Spends its time and its memory in rebuild_index, until RUN_FOR seconds have passed."""

import os
import time


def rebuild_index(end):
    """Has no calls of functions in Python, so that all profilers agree whose time it is."""
    index = {}
    while time.monotonic() < end:
        index = {}
        for word in range(20000):
            index[word * 7919 % 50021] = [word] * 8
    return index


def main():
    """What calls it."""
    return len(rebuild_index(time.monotonic() + float(os.environ.get("RUN_FOR", "4"))))


main()
