"""How fast stack-view answers in a terminal: python3 terminal.py STACK-VIEW STACK-SVG FOLDED [PEER...]

Prints rows of Markdown: the action, milliseconds (medians), and the peak of memory. An answer
is complete when the program writes nothing more. A PEER is another viewer's command, of which only
the first screen is measured.
"""

import fcntl
import os
import pty
import select
import statistics
import struct
import subprocess
import sys
import termios
import time

RUNS = 11
# The program has answered when it writes nothing for this long, in seconds.
QUIET = 0.25
SIZE = (60, 200)
# A screen is drawn when this much was written, in bytes.
SCREEN = 1500
# How long to wait for a program that never stops drawing, in seconds.
LONGEST = 5


class Terminal:
    def __init__(self, command):
        self.start = time.monotonic()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm-256color")
            time.sleep(0.02)
            os.execvp(command[0], command)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))
        self.text = b""
        while len(self.text) < SCREEN:
            self.read()
        self.first = time.monotonic() - self.start - 0.02

    def read(self):
        part = os.read(self.fd, 1 << 16)
        self.text += part
        # Some programs ask for the position of the cursor, and wait for the answer.
        if b"\x1b[6n" in part:
            os.write(self.fd, b"\x1b[1;1R")

    def settled(self, since):
        last = time.monotonic()
        while last - since < LONGEST and select.select([self.fd], [], [], QUIET)[0]:
            self.read()
            last = time.monotonic()
        return last - since

    def press(self, keys):
        """Seconds from the keys to the end of the answer to them."""
        start = time.monotonic()
        os.write(self.fd, keys)
        wait = select.select([self.fd], [], [], 5)[0]
        return self.settled(start) if wait else float("nan")

    def end(self, keys):
        os.write(self.fd, keys)
        try:
            while True:
                self.read()
        except OSError:
            pass
        _, _, usage = os.wait4(self.pid, 0)
        return usage.ru_maxrss / 1024


def first_screens(command):
    times, peaks = [], []
    for _ in range(RUNS):
        terminal = Terminal(command)
        times.append(terminal.first)
        terminal.settled(time.monotonic() - LONGEST / 2)
        peaks.append(terminal.end(b"q"))
    return statistics.median(times), max(peaks)


def drawn(svg, path):
    times = []
    for _ in range(RUNS):
        start = time.monotonic()
        subprocess.run([svg, path], stdout=subprocess.PIPE, check=True)
        times.append(time.monotonic() - start)
    return statistics.median(times)


ACTIONS = [
    ("move", b"\x1b[A", b"\x1b[B"),
    ("zoom", b"\r", b"0\x1b[A"),
    ("zoom out", b"0", b"\x1b[A\r"),
    ("search", b"/a\r", b"\x1b"),
    ("bottom up", b"2", b"1"),
    ("sandwich", b"3", b"1"),
    ("table", b"4", b"1"),
]


def main():
    view, svg, path, *peers = sys.argv[1:]
    name = os.path.basename(path)
    print(f"| {name} | stack-svg, the file | {1000 * drawn(svg, path):.0f} | |")
    for program in [view, *peers]:
        seconds, peak = first_screens([program, path])
        print(f"| {name} | {os.path.basename(program)}, first screen | {1000 * seconds:.0f} | {peak:.0f} |")
    terminal = Terminal([view, path])
    terminal.settled(time.monotonic())
    terminal.press(b"\x1b[A")
    for word, keys, back in ACTIONS:
        times = []
        for _ in range(RUNS):
            times.append(terminal.press(keys))
            terminal.press(back)
        print(f"| {name} | stack-view, {word} | {1000 * statistics.median(times):.0f} | |")
    terminal.end(b"q")


main()
