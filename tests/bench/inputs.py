"""Writes a large profile for scripts/bench: a small one, repeated in a way that its format
allows, so that other programs read the result as well.

Usage: python3 inputs.py SHAPE PROFILE MEGABYTES > LARGE

PROFILE may be compressed with gzip. A shape is a function below, which returns the start of the
large profile, a function that makes its Nth repetition, and the end.
"""

import gzip
import itertools
import json
import re
import sys
from xml.etree import ElementTree


def jfr(profile):
    """Chunks follow each other."""
    return b"", lambda again: profile, b""


def pprof(profile):
    """The samples again and, after them as in Go's files, the rest of the profile."""
    samples, others, at = b"", b"", 0
    while at < len(profile):
        start = at
        key, at = varint(profile, at)
        length, at = varint(profile, at)
        # A field is a number, or has a length.
        at += length if key & 7 == 2 else 0
        if key >> 3 == 2:
            samples += profile[start:at]
        else:
            others += profile[start:at]
    return b"", lambda again: samples, others


def varint(data, at):
    value = 0
    for shift in itertools.count(0, 7):
        value |= (data[at] & 127) << shift
        at += 1
        if data[at - 1] < 128:
            return value, at


def trace_event(profile):
    """The events again, later each time."""
    events = json.loads(profile)
    times = [event["ts"] for event in events]
    period = max(times) - min(times) + 1

    def later(again):
        moved = [event | {"ts": event["ts"] + again * period} for event in events]
        text = json.dumps(moved, separators=(",", ":"))[1:-1]
        return ((",\n" if again else "") + text).encode()

    return b"[", later, b"]\n"


def xctrace(profile):
    """The rows again, later each time: as in files of Instruments, they refer to earlier
    elements, and only their times are new."""
    rows = list(ElementTree.fromstring(profile).iter("row"))
    times = [time for row in rows for time in row.iter("sample-time") if time.text]
    highest = max(int(element.get("id", 0)) for row in rows for element in row.iter())
    period = int(times[-1].text) - int(times[0].text) + 1_000_000

    def later(again):
        lines = []
        for number, row in enumerate(rows):
            identifier = highest + 1 + (again - 1) * len(rows) + number
            time = int(times[min(number, len(times) - 1)].text) + again * period
            cells = [f'<sample-time id="{identifier}" fmt="{time}">{time}</sample-time>']
            for cell in row:
                reference = cell.get("id") or cell.get("ref")
                if reference and cell.tag != "sample-time":
                    cells.append(f'<{cell.tag} ref="{reference}"/>')
            lines.append(f"<row>{''.join(cells)}</row>\n")
        return "".join(lines).encode()

    start, end = profile.index(b"<row>"), profile.rindex(b"</row>") + len(b"</row>\n")
    return profile[:start], lambda again: later(again) if again else profile[start:end], profile[end:]


def callgrind(profile):
    """The costs again."""
    head, costs = callgrind_costs(profile)
    return head, lambda again: costs, b""


def callgrind_functions(profile):
    """The costs again, of functions with other names."""
    head, costs = callgrind_costs(profile)
    named = re.compile(rb"^(c?fn=\()(\d+)\)( .+)?$", re.M)
    step = max(int(found[2]) for found in named.finditer(costs))

    def renamed(again):
        def other(found):
            name = b"%s_%d" % (found[3], again) if found[3] else b""
            return b"%s%d)%s" % (found[1], int(found[2]) + again * step, name)

        return named.sub(other, costs)

    return head, renamed, b""


def callgrind_costs(profile):
    """The header; and the costs with their totals."""
    start = re.search(rb"^(?:ob|fl|fn)=", profile, re.M).start()
    return profile[:start], profile[start:]


SHAPES = [jfr, pprof, trace_event, xctrace, callgrind, callgrind_functions]


def main(shape, path, megabytes):
    with open(path, "rb") as file:
        profile = file.read()
    if profile.startswith(b"\x1f\x8b"):
        profile = gzip.decompress(profile)
    shapes = {known.__name__: known for known in SHAPES}
    head, repeated, tail = shapes[shape](profile)
    left = int(megabytes) * 1_000_000 - len(head) - len(tail)
    out = sys.stdout.buffer
    out.write(head)
    for again in itertools.count():
        if left <= 0:
            break
        part = repeated(again)
        left -= len(part)
        out.write(part)
    out.write(tail)


main(*sys.argv[1:])
