"""The differential test: its comparison, and a short run against the real Debezium. run.py does the long ones."""
import copy
import dataclasses
import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent / "e2e"))

import known  # noqa: E402
import run  # noqa: E402
from comparison import compare  # noqa: E402
from harness import Record  # noqa: E402
from planner import make_plan  # noqa: E402
from sides import Outcome, Sides  # noqa: E402
from worker import LOGGER  # noqa: E402

SEED, ROWS, AT_ONCE = 1, 40, 6
RECORD = Record("t", 1, 0, b"k", b'{"a":1}', (("id", b"1"), ("n", b"0")), 500)


@pytest.fixture
def plan():
    return make_plan(1, 0, 4)


def outcome(*records, **changes):
    return dataclasses.replace(Outcome([copy.copy(record) for record in records], 10**6, 2 * 10**6), **changes)


def changed(**changes):
    return dataclasses.replace(RECORD, **changes)


def test_a_plan_follows_from_its_seed():
    first, second, other = make_plan(1, 7, 20), make_plan(1, 7, 20), make_plan(2, 7, 20)
    assert (first.config, first.rows, first.setup()) == (second.config, second.rows, second.setup())
    assert first.rows != other.rows


def test_the_same_records_are_the_same(plan):
    assert not compare(plan, outcome(RECORD), outcome(RECORD)).differences


@pytest.mark.parametrize("change", [{"topic": "u"}, {"partition": 2}, {"key": None}, {"value": None}, {"value": b'{"a": 1}'}, {"timestamp_ms": 501},
                                    {"headers": (("n", b"0"), ("id", b"1"))}, {"headers": (("id", None), ("n", b"0"))}])
def test_any_changed_part_differs(plan, change):
    assert compare(plan, outcome(RECORD), outcome(changed(**change))).differences


def test_a_record_of_one_side_differs(plan):
    assert compare(plan, outcome(RECORD), outcome()).differences
    assert compare(plan, outcome(), outcome(RECORD)).differences


def test_order_counts_within_a_partition(plan):
    other = changed(headers=(("id", b"1"), ("n", b"1")))
    assert compare(plan, outcome(RECORD, other), outcome(other, RECORD)).differences
    assert not compare(plan, outcome(RECORD, other), outcome(RECORD, other)).differences


def test_what_debezium_cannot_publish_needs_a_known_reason(plan):
    unknown = outcome(failures=["TRANSFORMATION: java.lang.RuntimeException: something else"])
    known_one = outcome(failures=["VALUE_CONVERTER: org.apache.kafka.connect.errors.DataException: Invalid type for STRUCT: class java.lang.String"])
    assert compare(plan, unknown, outcome(RECORD)).differences
    verdict = compare(plan, known_one, outcome(RECORD))
    assert not verdict.differences and verdict.beyond == 1 and sum(verdict.known.values()) == 1


def test_addresses_of_java_objects_are_known(plan):
    theirs, ours = changed(value=b"Struct{a=[B@1dd657c2,b=1}"), changed(value=b"Struct{a=AQE=,b=1}")
    assert known.difference(plan, 0, theirs, ours)
    assert not known.difference(plan, 0, theirs, changed(value=b"Struct{a=AQE=,b=2}"))


def test_merged_fields_are_known_for_unlike_objects_only(plan):
    def with_payload(text):
        index = next(index for index, column in enumerate(plan.columns) if column.name == "payload")
        return plan.copy(rows=[[text if at == index else value for at, value in enumerate(values)] for values in plan.rows])

    unlike, like = with_payload('{"a":[{"b":1},{"c":2}]}'), with_payload('{"a":[{"b":1},{"b":2}]}')
    theirs, ours = changed(value=b'{"a":[{"b":1,"c":null},{"b":null,"c":2}]}'), changed(value=b'{"a":[{"c":null,"b":1},{"c":2,"b":null}]}')
    assert known.difference(unlike, 0, theirs, ours)
    assert not known.difference(like, 0, theirs, ours)
    assert not known.difference(unlike, 0, theirs, changed(value=b'{"a":[{"b":1,"c":null},{"b":null,"c":3}]}'))
    assert not known.difference(unlike, 0, changed(value=b'{"a":1,"b":2}'), changed(value=b'{"a":1}'))
    nested = with_payload('{"a":[{"b":{"c":1}},{"b":{"d":2}}]}')
    assert known.difference(nested, 0, changed(value=b"Struct{a=1}"), changed(value=b'{"a":1}'))


@pytest.mark.skipif(not LOGGER.exists(), reason="needs Debian's libslf4j-java")
def test_against_debezium(request):
    count = 60 if request.config.getoption("--full", default=False) else 18
    sides = Sides()
    try:
        totals = run.run(sides, SEED, range(count), ROWS, AT_ONCE)
    finally:
        sides.close()
    print(totals)
    request.node.user_properties += [("random configurations", totals.configurations), ("random rows", totals.rows), ("records the same", totals.same)]
    assert totals.same > 5 * ROWS, "hardly anything was compared"
    assert not totals.failures, [(plan.number, verdict.differences[0]) for plan, verdict in totals.failures]
