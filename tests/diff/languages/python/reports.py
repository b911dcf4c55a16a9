"""Reports of the weather as text, written and read again."""
import json
import re

PLACES = ["Brno", "Cork", "Dijon", "Faro", "Genoa", "Kotka", "Narvik", "Vilnius"]
SKIES = ["sun", "rain", "snow", "fog", "hail"]
LINE = re.compile(r"(\d+) (\w+) (-?\d+\.\d) (\w+) (\d+)")


class Dice:
    """Numbers that look random."""

    def __init__(self, seed):
        self.state = seed * 2654435761 % 2**32 or 1

    def next(self):
        state = self.state
        state ^= state << 13 & 0xFFFFFFFF
        state ^= state >> 17
        state ^= state << 5 & 0xFFFFFFFF
        self.state = state
        return state

    def below(self, limit):
        return self.next() % limit


class Report:
    def __init__(self, number, place, degrees, sky, wind):
        self.number, self.place, self.degrees, self.sky, self.wind = number, place, degrees, sky, wind

    def key(self):
        return self.place, self.degrees

    def as_json(self):
        return json.dumps(self.__dict__, sort_keys=True)


def write_degrees(dice):
    return "%.1f" % (dice.below(600) / 10 - 20)


def write_line(number, dice):
    place, sky = PLACES[dice.below(len(PLACES))], SKIES[dice.below(len(SKIES))]
    return f"{number} {place} {write_degrees(dice)} {sky} {dice.below(120)}"


def write(dice, count):
    return "\n".join(write_line(number, dice) for number in range(count))


def read_line(line):
    number, place, degrees, sky, wind = LINE.match(line).groups()
    return Report(int(number), place, float(degrees), sky, int(wind))


def through_json(report):
    return Report(**json.loads(report.as_json()))


def read(text):
    return [through_json(read_line(line)) for line in text.split("\n")]
