"""Writes recordings of version 4 of MOJO to tests/golden/formats/mojo: events as "The MOJO File
Format" of Austin's manual has them, and tasks as austin-python 2.4.0 reads them. No release of
Austin that writes this version was at hand.

Usage: mojo.py FOLDER

Prints for each file how long its samples and the waits of its tasks last together, in nanoseconds.
"""

import pathlib
import sys

METADATA, STACK, FRAME, INVALID, CALL, KERNEL, GC, IDLE, TIME, MEMORY, STRING = range(1, 12)
REPEAT, TASK_STACK, TASK_WAITER, TASK_RUNS = range(13, 17)


def number(value):
    sign, value = (0x40, -value) if value < 0 else (0, value)
    out = [sign | value & 0x3F]
    value >>= 6
    while value:
        out[-1] |= 0x80
        out.append(value & 0x7F)
        value >>= 7
    return bytes(out)


def text(value):
    return value.encode() + b"\0"


def event(kind, *fields):
    return bytes([kind]) + b"".join(f if isinstance(f, bytes) else number(f) for f in fields)


def metadata(**pairs):
    return b"".join(event(METADATA, text(key), text(value)) for key, value in pairs.items())


def strings(**keys):
    return b"".join(event(STRING, int(key[1:]), text(value)) for key, value in keys.items())


def start(mode):
    return b"MOJ" + number(4) + metadata(austin="4.1.0", interval="1000", mode=mode)


def main_thread():
    return event(STACK, 4711, 0, text("MainThread"))


def tasks():
    """Two tasks: one waits for 3 ms, runs for 2 ms, waits for 4 ms; the other waits to the end."""
    out = start("wall") + main_thread()
    out += strings(s2="/srv/demo/app.py", s3="main", s4="fetch", s5="parse", s6="Task-1; first")
    for key, (name, line) in enumerate([(3, 5), (4, 9), (5, 12), (4, 10)]):
        out += event(FRAME, key, 2, name, line, line, 1, 9)
    # Task 77 is at 1 (fetch, line 9), task 78 below it at 3.
    out += event(TASK_STACK, 77, 6, 1) + event(CALL, 1)
    out += event(TASK_STACK, 78, 0, 2) + event(CALL, 1) + event(CALL, 3)
    out += event(TASK_WAITER, 78, 77)
    out += event(CALL, 0) + event(TIME, 1000)
    out += main_thread() + event(REPEAT) + event(TIME, 2000)
    # Another thread, by its id: its time is none of the tasks'.
    out += event(STACK, 4711, 0, text("1268")) + event(CALL, 2) + event(TIME, 500)
    # Task 77 runs, then it is at 2 (parse).
    out += main_thread() + event(TASK_RUNS, 77) + event(CALL, 0) + event(CALL, 1) + event(TIME, 2000)
    out += main_thread() + event(TASK_STACK, 77, 0, 1) + event(CALL, 2)
    out += event(TASK_WAITER, 78, 0) + event(CALL, 0) + event(TIME, 4000)
    out += main_thread() + event(CALL, 0) + event(TASK_STACK, 77, 0, 0) + event(TIME, 300)
    time = 1000 + 2000 + 500 + 2000 + 4000 + 300
    waited = (1000 + 2000) + 4000 + (1000 + 2000 + 2000 + 4000 + 300)
    return out + metadata(count="6", duration="9800"), time, waited


def native():
    """Native frames, of which those above Python's are new in a stack that repeats."""
    out = start("full") + event(STACK, 4711, -1, text("worker"))
    out += strings(s2="native@7f01", s3="_start", s4="/srv/demo/app.py", s5="main", s6="read")
    out += strings(s7="write")
    out += event(FRAME, 2**56, 2, 3, 33, 0, 0, 0) + event(FRAME, 2, 4, 5, 7, 7, 5, 12)
    out += event(FRAME, 3, 2, 6, 0, 0, 0, 0) + event(FRAME, 4, 2, 7, 0, 0, 0, 0)
    worker = event(STACK, 4711, -1, text("worker"))
    out += event(CALL, 2**56) + event(CALL, 2) + event(CALL, 3) + event(KERNEL, text("do_syscall_64"))
    out += event(TIME, 100) + event(IDLE) + event(MEMORY, -4096)
    out += worker + event(REPEAT) + event(CALL, 4) + event(GC) + event(TIME, 200) + event(MEMORY, 8192)
    out += worker + event(INVALID) + event(CALL, 2) + event(TIME, 50) + event(MEMORY, 0)
    return out, 100 + 200 + 50, 0


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, (data, time, waited) in {"tasks": tasks(), "native": native()}.items():
        (folder / f"{name}.mojo").write_bytes(data)
        print(name, time * 1000, waited * 1000)
    (folder / "tasks-wait.mojo").write_bytes(tasks()[0])


main()
