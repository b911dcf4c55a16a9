"""Work out a month's wages from time sheets.

The rules are small functions, each with the types of its arguments stated;
a decorator sees to it that they get what they state, for the time sheets
come from many places.  The program makes up the sheets and prints totals.
"""

import functools
import inspect
import random
import typing
from collections import defaultdict
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

PEOPLE = 2400
DAYS = 22
CENT = Decimal("0.01")
GRADES = {"A": Decimal("17.20"), "B": Decimal("21.85"), "C": Decimal("29.40")}


@dataclass(frozen=True)
class Shift:
    person: int
    grade: str
    day: int
    start: int
    end: int
    pause: int


class Refused(TypeError):
    """An argument is not of the type stated."""


def fits(value: object, kind: object) -> bool:
    """Whether a value is of a type, a union or a list of one type."""
    origin = typing.get_origin(kind)
    if origin is list:
        (item,) = typing.get_args(kind)
        return isinstance(value, list) and all(fits(v, item) for v in value)
    if origin is typing.Union:
        return any(fits(value, k) for k in typing.get_args(kind))
    return isinstance(value, kind)


def checked(rule):
    """Refuse a call of the rule with arguments of other types than stated."""

    @functools.wraps(rule)
    def guarded(*args, **kwargs):
        stated = inspect.signature(rule, eval_str=True)
        given = stated.bind(*args, **kwargs)
        for name, value in given.arguments.items():
            kind = stated.parameters[name].annotation
            if not fits(value, kind):
                raise Refused(f"{rule.__name__}: {name} is {value!r}, not {kind}")
        return rule(*args, **kwargs)

    return guarded


@checked
def minutes(shift: Shift) -> int:
    return shift.end - shift.start - shift.pause


@checked
def night_minutes(start: int, end: int) -> int:
    """How much of a shift lies before 6 or after 22 o'clock."""
    early = max(0, min(end, 6 * 60) - start)
    late = max(0, end - max(start, 22 * 60))
    return early + late


@checked
def base_pay(grade: str, worked: int) -> Decimal:
    return GRADES[grade] * worked / 60


@checked
def night_bonus(grade: str, at_night: int) -> Decimal:
    return GRADES[grade] * at_night / 60 * Decimal("0.25")


@checked
def overtime_bonus(grade: str, worked: int, limit: typing.Union[int, None] = None) -> Decimal:
    over = max(0, worked - (limit or 8 * 60))
    return GRADES[grade] * over / 60 * Decimal("0.40")


@checked
def rounded(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, ROUND_HALF_UP)


def pay_of(shift: Shift) -> Decimal:
    """What is paid for one shift."""
    worked = minutes(shift)
    pay = base_pay(shift.grade, worked)
    pay += night_bonus(shift.grade, night_minutes(shift.start, shift.end))
    pay += overtime_bonus(grade=shift.grade, worked=worked)
    return rounded(pay)


def sample_shifts(seed: int) -> list[Shift]:
    dice = random.Random(seed)
    shifts = []
    for person in range(PEOPLE):
        grade = dice.choice("AABBC")
        for day in range(1, DAYS + 1):
            start = dice.choice((4, 6, 8, 14)) * 60 + dice.randrange(0, 60, 5)
            end = start + dice.randrange(5 * 60, 10 * 60, 5)
            shifts.append(Shift(person, grade, day, start, end, dice.choice((0, 30, 45))))
    return shifts


def tax(total: Decimal) -> Decimal:
    """A tax in steps on a month's wage."""
    owed, rest = Decimal(0), total
    for width, rate in ((1200, "0"), (1400, "0.14"), (2200, "0.27"), (10**6, "0.38")):
        part = min(rest, Decimal(width))
        owed += part * Decimal(rate)
        rest -= part
    return owed.quantize(CENT, ROUND_HALF_UP)


def totals(shifts: list[Shift]) -> dict[int, Decimal]:
    total: dict[int, Decimal] = defaultdict(Decimal)
    for shift in shifts:
        total[shift.person] += pay_of(shift)
    return total


def main() -> None:
    shifts = sample_shifts(seed=3)
    wages = totals(shifts)
    taxes = {person: tax(wage) for person, wage in wages.items()}
    print(f"{len(shifts)} shifts of {len(wages)} people")
    print(f"wages {sum(wages.values())}, taxes {sum(taxes.values())}")
    best = max(wages, key=wages.get)
    print(f"most: person {best}, {wages[best] - taxes[best]} after tax")


if __name__ == "__main__":
    main()
