"""The comparison that the recorded cases stand on: it must see every kind of difference."""
import copy
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from compare import differences  # noqa: E402

RECORD = {"topic": "t", "partition": 1, "key": "k", "value": "v", "headers": [["id", "1"], ["x", None]], "timestamp": 500}
CASE = {"config": {}, "expect": {"records": [RECORD, RECORD | {"value": "w"}]}}


def got(records, **changes):
    return {"records": copy.deepcopy(records), "running": True, "exit": 0, "output": "", "t0": 0, "t1": 1000} | changes


def test_the_same_records_are_the_same():
    assert differences(CASE, got(CASE["expect"]["records"])) == []


@pytest.mark.parametrize("change", [{"topic": "u"}, {"partition": 2}, {"key": None}, {"value": None}, {"value": "v "}, {"headers": []},
                                    {"headers": [["x", None], ["id", "1"]]}, {"headers": [["id", "1"], ["x", ""]]}, {"timestamp": 5000}])
def test_any_changed_part_differs(change):
    assert differences(CASE, got([RECORD | change, CASE["expect"]["records"][1]]))


def test_order_and_number_count():
    first, second = CASE["expect"]["records"]
    assert differences(CASE, got([second, first]))
    assert differences(CASE, got([first, second, second]))
    assert differences(CASE, got([first]))


def test_without_a_key_any_partition_and_order_will_do():
    first, second = (record | {"key": None} for record in CASE["expect"]["records"])
    case = {"config": {}, "expect": {"records": [first, second]}}
    assert differences(case, got([second | {"partition": 3}, first])) == []


def test_a_time_from_a_column_is_exact():
    case = {"config": {"transforms.outbox.table.field.event.timestamp": "at"}, "expect": {"records": [RECORD], "t0": 600, "t1": 700}}
    assert differences(case, got([RECORD])) == []
    assert differences(case, got([RECORD | {"timestamp": 501}]))


def test_a_relay_that_ended_or_did_not_end_is_seen():
    records = CASE["expect"]["records"]
    stops = {"config": {}, "expect": {"records": records, "stops": True, "says": ["column"]}}
    assert differences(CASE, got(records, running=False, exit=1))
    assert differences(stops, got(records))
    assert differences(stops, got(records, running=False, exit=2, output="no such Column")) == []
    assert differences(stops, got(records, running=False, exit=2, output="no"))
    assert differences(CASE, got(records, exit=None))
    holds = {"config": {}, "expect": stops["expect"] | {"holds": True}}
    assert differences(holds, got(records, output="column", records_later=1))
    assert differences(holds, got(records, output="column", confirmed_past=True))
    assert differences(holds, got(records, output="column")) == []
