"""Figures of a benchmark: medians, percentiles, tables, and the file that keeps them."""
import os
import pathlib
import platform
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "lib"))

import evidence  # noqa: E402

FOLDER = ROOT / "build" / "bench"


def median(values):
    """Of those that are known; None where none is."""
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


def percentile(values, share):
    """The smallest value with at least `share` of all values at or below it (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, -int(-share * len(ordered) // 1) - 1)]


def latencies(seconds):
    """The usual percentiles in milliseconds."""
    return {"events": len(seconds)} | {name: percentile(seconds, share) * 1000
                                       for name, share in (("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999), ("max", 1.0))}


def ratio(one, other):
    return one / other if one is not None and other else None


def shown(value, decimals=0):
    """A number as a table shows it; nothing where it is not known."""
    if value is None:
        return ""
    return value if isinstance(value, str) else f"{value:,.{decimals}f}"


def table(head, rows):
    """Columns as wide as they must be: the first to the left, the last as it comes, numbers to the right."""
    cells = [head, *rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    lines = []
    for row in cells:
        middle = [cell.rjust(width) for cell, width in zip(row[1:-1], widths[1:-1])]
        lines.append("  ".join([row[0].ljust(widths[0]), *middle, row[-1]]).rstrip())
    return "\n".join(lines)


def machine():
    """What the figures depend on, beside the code."""
    found = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return {"cores": os.cpu_count(), "cpu": found and found[1], "kernel": platform.release(),
            "memory_mb": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20, "versions": evidence.versions()}


def load_average():
    """Of the last minute: what else the machine did while it measured."""
    return os.getloadavg()[0]


def keep(name, content):
    """Writes build/bench/NAME.json with the command, the commit, the time and the machine; says where."""
    command = " ".join(["tests/bench/" + pathlib.Path(sys.argv[0]).name, *sys.argv[1:]])
    file = evidence.keep(name, command, {"machine": machine()} | content, FOLDER)
    print(f"kept: {file.relative_to(ROOT)}")
