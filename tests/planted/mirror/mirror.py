"""Bring a copy of a folder up to date.

A manifest of the folder (path, size, digest of the content) is compared
with the manifest of the copy; what differs is copied, and what is gone is
deleted.  The program makes a folder, mirrors it, changes it, mirrors again.
"""

import json
import os
import random
import shutil
import subprocess
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

FILES = 420
FOLDERS = 24
WORDS = "anchor bell canvas deck engine funnel galley hatch keel mast rudder sail".split()


@dataclass(frozen=True)
class Entry:
    path: str
    size: int
    digest: str


@dataclass
class Plan:
    copy: list[str]
    delete: list[str]
    unchanged: int


def write_text_file(path: Path, dice: random.Random) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (" ".join(dice.choices(WORDS, k=8)) for _ in range(dice.randrange(20, 200)))
    path.write_text("\n".join(lines))


def make_tree(root: Path, dice: random.Random) -> None:
    for number in range(FILES):
        folder = root / f"part-{number % FOLDERS:02d}"
        write_text_file(folder / f"page-{number:04d}.txt", dice)


def change_tree(root: Path, dice: random.Random) -> None:
    """Rewrite some files, remove some and add some."""
    paths = sorted(p for p in root.rglob("*") if p.is_file())
    for path in dice.sample(paths, 30):
        write_text_file(path, dice)
    for path in dice.sample(paths, 12):
        path.unlink()
    for number in range(15):
        write_text_file(root / "new" / f"extra-{number}.txt", dice)


def digest_of(path: Path) -> str:
    """The SHA-1 of a file's content, in hex."""
    done = subprocess.run(
        ["sha1sum", "--", str(path)], capture_output=True, text=True, check=True
    )
    return done.stdout.split()[0]


def walk(root: Path):
    """All files below a folder, in order."""
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            yield Path(folder) / name


def manifest(root: Path) -> dict[str, Entry]:
    entries = {}
    for path in walk(root):
        relative = path.relative_to(root).as_posix()
        entries[relative] = Entry(relative, path.stat().st_size, digest_of(path))
    return entries


def save_manifest(entries: dict[str, Entry], path: Path) -> None:
    rows = [asdict(entry) for entry in entries.values()]
    path.write_text(json.dumps(rows, indent=1))


def load_manifest(path: Path) -> dict[str, Entry]:
    if not path.exists():
        return {}
    return {row["path"]: Entry(**row) for row in json.loads(path.read_text())}


def compare(wanted: dict[str, Entry], present: dict[str, Entry]) -> Plan:
    copy = [path for path, entry in wanted.items() if present.get(path) != entry]
    delete = [path for path in present if path not in wanted]
    return Plan(copy, delete, len(wanted) - len(copy))


def carry_out(plan: Plan, source: Path, target: Path) -> int:
    """Do what the plan says; returns how many bytes were copied."""
    copied = 0
    for name in plan.delete:
        (target / name).unlink()
    for name in plan.copy:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, target / name)
        copied += (target / name).stat().st_size
    return copied


def mirror(source: Path, target: Path, listing: Path) -> None:
    wanted = manifest(source)
    plan = compare(wanted, load_manifest(listing))
    copied = carry_out(plan, source, target)
    save_manifest(wanted, listing)
    print(
        f"{len(plan.copy)} copied ({copied} bytes), {len(plan.delete)} deleted,"
        f" {plan.unchanged} unchanged"
    )


def main() -> None:
    dice = random.Random(11)
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "source"), Path(folder, "target")
        listing = Path(folder, "listing.json")
        target.mkdir()
        make_tree(source, dice)
        mirror(source, target, listing)
        for _ in range(3):
            change_tree(source, dice)
            mirror(source, target, listing)
        print("same content:", manifest(source) == manifest(target))


if __name__ == "__main__":
    main()
