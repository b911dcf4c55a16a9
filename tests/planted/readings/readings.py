"""File a day's electricity meter readings by district.

The readings come as lines of text.  Each is checked, its use since the
reading before is worked out and added to the file of its district; a
report by district and hour is printed at the end.
"""

import gzip
import random
import tempfile
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

METERS = 2300
READINGS_EACH = 40
DISTRICTS = ("north", "east", "south", "west", "harbour")


@dataclass(frozen=True)
class Reading:
    meter: str
    taken: datetime
    value: float


def check_digit(digits: str) -> int:
    """The last digit of a meter's number, from the others."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        doubled = int(digit) * (2 if place % 2 == 0 else 1)
        total += doubled // 10 + doubled % 10
    return -total % 10


def number_of(meter: int) -> str:
    digits = f"{730000 + meter * 37:08d}"
    return digits + str(check_digit(digits))


def sample_lines(seed: int):
    """Make up the lines, a few of them damaged."""
    dice = random.Random(seed)
    start = datetime(2024, 3, 1)
    values = [dice.uniform(100, 9000) for _ in range(METERS)]
    for turn in range(READINGS_EACH):
        for meter in range(METERS):
            taken = start + timedelta(minutes=36 * turn + meter % 30)
            values[meter] += dice.expovariate(1 / (0.2 + turn % 24 / 20))
            number = number_of(meter)
            if dice.random() < 0.01:
                number = number[:-1] + "x"
            yield f"{number};{taken:%Y-%m-%dT%H:%M};{values[meter]:.3f}"


def parse(line: str) -> Reading:
    """Read one line; ValueError says what is wrong with it."""
    number, taken, value = line.split(";")
    if not number.isdigit():
        raise ValueError("number is not all digits")
    if check_digit(number[:-1]) != int(number[-1]):
        raise ValueError("check digit is wrong")
    return Reading(number, datetime.fromisoformat(taken), float(value))


class Archive:
    """A folder with one compressed file of readings for each district."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.district: dict[str, str] = {}
        self.last: dict[str, float] = {}
        self.used_in = {name: [0.0] * 24 for name in DISTRICTS}

    def register(self, meters: range) -> None:
        for meter in meters:
            self.district[number_of(meter)] = DISTRICTS[meter % len(DISTRICTS)]

    def used_since(self, reading: Reading) -> float:
        before = self.last.get(reading.meter, reading.value)
        self.last[reading.meter] = reading.value
        return max(0.0, reading.value - before)

    def store(self, reading: Reading) -> None:
        used = self.used_since(reading)
        district = self.district[reading.meter]
        self.used_in[district][reading.taken.hour] += used
        row = (reading.meter, reading.taken.isoformat(), f"{used:.3f}")
        with gzip.open(self.folder / f"{district}.csv.gz", "at") as out:
            out.write(",".join(row) + "\n")

    def by_hour(self) -> list[float]:
        return [sum(hours) for hours in zip(*self.used_in.values())]

    def size(self) -> int:
        return sum(path.stat().st_size for path in self.folder.iterdir())


def take_in(archive: Archive, lines) -> tuple[int, Counter]:
    """Store the good lines; returns how many were good and why others were not."""
    good, bad = 0, Counter()
    for line in lines:
        try:
            reading = parse(line)
        except ValueError as problem:
            bad[str(problem)] += 1
            continue
        archive.store(reading)
        good += 1
    return good, bad


def report(archive: Archive) -> None:
    for district, hours in archive.used_in.items():
        print(f"{district:<8} {sum(hours):10.1f} kWh")
    hours = archive.by_hour()
    hour = hours.index(max(hours))
    print(f"most was used after {hour}:00, {hours[hour]:.1f} kWh")
    print(f"{archive.size()} bytes filed")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        archive = Archive(Path(folder))
        archive.register(range(METERS))
        good, bad = take_in(archive, sample_lines(seed=5))
        print(f"{good} readings taken in, {bad.total()} refused: {dict(bad)}")
        report(archive)


if __name__ == "__main__":
    main()
