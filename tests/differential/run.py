#!/usr/bin/env python3
"""Random tables, rows and configurations through the real Debezium and through Postrider, compared byte for byte.

usage: run.py [--seed N] [--configurations N] [--rows N] [--at-once N] [--first N] [--no-shrink] [-v]

Everything follows from the seed: `--seed S --first K --configurations 1` runs configuration K of seed S again. A configuration that differs is
shrunk (fewer options, columns and rows), shown with both records, and kept as a case in build/differential/. The relay is
build/release/postrider, or $POSTRIDER_BINARY. PostgreSQL, two brokers and a Connect worker are started and ended here.
"""
import argparse
import collections
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "scripts" / "lib")]

import evidence  # noqa: E402
import shrink  # noqa: E402
from comparison import compare  # noqa: E402
from planner import make_plan  # noqa: E402
from sides import Sides, cleanup  # noqa: E402


class Totals:
    def __init__(self):
        self.configurations = self.rows = self.same = self.beyond = self.refused = self.differing = 0
        self.known, self.failures = collections.Counter(), []

    def add(self, plan, verdict):
        self.configurations += 1
        self.rows += len(plan.rows)
        self.same += verdict.same
        self.beyond += verdict.beyond
        self.refused += verdict.refused
        self.differing += bool(verdict.differences)
        self.known.update(verdict.known)
        if verdict.differences:
            self.failures.append((plan, verdict))

    def __str__(self):
        lines = [f"{self.configurations} configurations, {self.rows} rows: {self.same} records the same, {self.beyond} that Debezium could not publish, "
                 f"{self.refused} configurations refused by both, {self.differing} that differ"]
        lines += [f"  {count:7} {name}" for name, count in self.known.most_common()]
        return "\n".join(lines)


def run(sides, seed, numbers, rows, at_once, report=lambda plan, verdict: None):
    """All of these configurations; the totals."""
    totals = Totals()
    numbers = list(numbers)
    for at in range(0, len(numbers), at_once):
        plans = [make_plan(seed, number, rows) for number in numbers[at:at + at_once]]
        for plan, (debezium, postrider) in zip(plans, sides.run(plans)):
            verdict = compare(plan, debezium, postrider, sides.worker.java_version)
            totals.add(plan, verdict)
            report(plan, verdict)
    return totals


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--configurations", type=int, default=300, metavar="N")
    arguments.add_argument("--rows", type=int, default=350, metavar="N", help="in each configuration")
    arguments.add_argument("--first", type=int, default=0, metavar="N", help="the number of the first configuration")
    arguments.add_argument("--at-once", type=int, default=6, metavar="N")
    arguments.add_argument("--no-shrink", action="store_true")
    arguments.add_argument("-v", action="store_true", help="a line for each configuration")
    options = arguments.parse_args()

    def report(plan, verdict):
        if verdict.differences:
            print(f"DIFFERS seed {plan.seed} configuration {plan.number} in {len(verdict.differences)} rows")
            shrink.describe(verdict)
        elif options.v:
            print(f"{plan.number}: {verdict.same} the same, {verdict.beyond} beyond{', refused by both' if verdict.refused else ''}", flush=True)

    started, sides = time.monotonic(), Sides()
    try:
        print(f"JDK {sides.worker.java_version}; servers up after {time.monotonic() - started:.0f} s", flush=True)
        totals = run(sides, options.seed, range(options.first, options.first + options.configurations), options.rows, options.at_once, report)
        if not options.no_shrink:
            for plan, verdict in totals.failures:
                shrink.shrink_and_keep(sides, plan, verdict)
    finally:
        sides.close()
        cleanup()
    print(totals)
    evidence.keep("differential", f"tests/differential/run.py --seed {options.seed} --configurations {options.configurations} --rows {options.rows}", {
        "seed": options.seed, "configurations": totals.configurations, "rows": totals.rows, "records the same": totals.same,
        "that Debezium could not publish": totals.beyond, "refused by both": totals.refused, "that differ": totals.differing})
    print(f"{totals.configurations - totals.differing} passed, {totals.differing} failed in {time.monotonic() - started:.0f} s")
    sys.exit(totals.differing > 0)


if __name__ == "__main__":
    main()
