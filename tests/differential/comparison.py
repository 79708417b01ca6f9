"""Compares what both sides published for one plan, row by row. Pure: no servers.

The header n tells which row a record is of.
"""
import collections
import dataclasses
import re

import known

PLACEMENT = "transforms.outbox.table.fields.additional.placement"
CLOCK_SLACK_MS = 1000
SHORTEST_DOUBLES = 19  # the first JDK whose Double.toString is the shortest form
DOUBLE = re.compile(rb"-?\d+\.\d+(?:E-?\d+)?")


@dataclasses.dataclass
class Verdict:
    differences: list = dataclasses.field(default_factory=list)  # (row, text, Debezium's records, Postrider's records)
    known: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    same: int = 0  # records
    beyond: int = 0  # records that Debezium could not publish
    refused: bool = False  # by both, before any record

    def differs(self, row, text, debezium=(), postrider=()):
        self.differences.append((row, text, list(debezium), list(postrider)))


def row_of(record):
    number = next((value for name, value in record.headers if name == "n"), None)
    found = re.search(rb"(\d+)\}?$", number or b"")
    return int(found[1]) if found else None


def by_row(records):
    rows = collections.defaultdict(list)
    for record in records:
        rows[row_of(record)].append(record)
    return rows


def shortened(data, java_version):
    if data is None or java_version >= SHORTEST_DOUBLES:
        return data
    return DOUBLE.sub(lambda found: repr(float(found[0])).encode(), data)


def is_placed(plan, row):
    """A column sets this row's partition."""
    names = [item.split(":")[0].strip() for item in plan.config.get(PLACEMENT, "").split(",") if ":partition" in item.lower()]
    return any(column.name in names and plan.rows[row][index] is not None for index, column in enumerate(plan.columns))


def shape(record, plan, row, java_version):
    """All that must be the same but the time."""
    headers = [(name, shortened(value, java_version)) for name, value in known.headers(record)]
    partition = "any" if record.key is None and not is_placed(plan, row) else record.partition
    return record.topic, partition, shortened(record.key, java_version), shortened(record.value, java_version), headers


def compare(plan, debezium, postrider, java_version=25):
    verdict = Verdict()
    theirs, ours = by_row(debezium.records), by_row(postrider.records)
    if not theirs and not ours and (debezium.refused or debezium.failures) and postrider.refused:
        verdict.refused = True
        return verdict
    for row in sorted(set(theirs) | set(ours), key=lambda row: (row is None, row)):
        if row in theirs and row in ours:
            compare_row(verdict, plan, row, (theirs[row], debezium), (ours[row], postrider), java_version)
        elif row in theirs:
            reason = postrider.refused or next((line for line in postrider.failures), "")
            verdict.differs(row, f"only Debezium publishes it: {reason}", theirs[row])
    beyond = [row for row in ours if row not in theirs]
    verdict.beyond += sum(len(ours[row]) for row in beyond)
    if beyond:
        explain(verdict, debezium, beyond, ours)
    compare_order(verdict, theirs, debezium, postrider)
    if not debezium.refused and postrider.refused and not verdict.differences:
        verdict.differs(None, f"only Postrider stops: {postrider.refused}")
    return verdict


def explain(verdict, debezium, beyond, ours):
    """Records of Postrider's alone need a known failure of Debezium's."""
    said = debezium.failures + ([debezium.refused] if debezium.refused else [])
    names = [known.failure(text) for text in said]
    for text, name in zip(said, names):
        if name is None:
            verdict.differs(beyond[0], f"Debezium fails: {text}", [], ours[beyond[0]])
            return
    verdict.known.update(names)
    if not debezium.refused and len(debezium.failures) < len(beyond):
        verdict.differs(beyond[0], "Debezium neither publishes it nor says why", [], ours[beyond[0]])


def compare_row(verdict, plan, row, debezium, postrider, java_version):
    (theirs, side), (ours, our_side) = debezium, postrider
    if [shape(record, plan, row, java_version) for record in theirs] != [shape(record, plan, row, java_version) for record in ours]:
        name = known.difference(plan, row, theirs[0], ours[0]) if len(theirs) == len(ours) == 1 else None
        if name:
            verdict.known[name] += 1
        else:
            verdict.differs(row, "not the same", theirs, ours)
        return
    for wanted, had in zip(theirs, ours):
        from_clock = side.t0 - CLOCK_SLACK_MS <= wanted.timestamp_ms <= side.t1 + CLOCK_SLACK_MS
        if from_clock:
            right = our_side.t0 - CLOCK_SLACK_MS <= had.timestamp_ms <= our_side.t1 + CLOCK_SLACK_MS
        else:
            right = had.timestamp_ms == wanted.timestamp_ms or known.timestamp(wanted.timestamp_ms, had.timestamp_ms)
        if not right:
            verdict.differs(row, f"timestamp {had.timestamp_ms} instead of {wanted.timestamp_ms}", [wanted], [had])
            return
    verdict.same += len(theirs)


def compare_order(verdict, theirs, debezium, postrider):
    """Within a partition both keep the rows' order, as far as Debezium came."""
    for place, wanted in orders(debezium.records).items():
        had = [row for row in orders(postrider.records).get(place, []) if row in theirs]
        if sorted(wanted) == sorted(had) and wanted != had:
            verdict.differs(wanted[0], f"another order in {place}: {had} instead of {wanted}")


def orders(records):
    places = collections.defaultdict(list)
    for record in records:
        if record.key is not None:
            places[record.topic, record.partition].append(row_of(record))
    return places
