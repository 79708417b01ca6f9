"""The statistics and tables of the benchmarks, and the constants that a benchmark repeats from the code that it stands for."""
import pathlib
import re
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import figures  # noqa: E402
import loads  # noqa: E402


@pytest.mark.parametrize("share, expected", [(0.5, 50), (0.99, 99), (0.999, 100), (1.0, 100), (0.0, 1)])
def test_percentile_is_a_value_that_was_measured(share, expected):
    assert figures.percentile(list(range(100, 0, -1)), share) == expected


def test_percentile_of_few_values():
    assert figures.percentile([7], 0.99) == 7
    assert figures.percentile([1, 2], 0.5) == 1
    assert figures.percentile([1, 2], 0.51) == 2


def test_latencies_are_in_milliseconds():
    assert figures.latencies([0.001, 0.002, 0.004]) == {"events": 3, "p50": 2.0, "p99": 4.0, "p99.9": 4.0, "max": 4.0}


def test_what_is_not_known_is_left_out():
    assert figures.median([None, 3, 1, None, 2]) == 2
    assert figures.median([None]) is None
    assert figures.ratio(1, None) is None and figures.ratio(None, 1) is None
    assert figures.ratio(3, 2) == 1.5
    assert figures.shown(None) == "" and figures.shown(0) == "0" and figures.shown(12345.678, 1) == "12,345.7"


def test_table_aligns_numbers_to_the_right():
    assert figures.table(["who", "rate", "rounds"], [["a", "1,000", "1 2"], ["longer", "9", ""]]) == ("who      rate  rounds\n"
                                                                                                     "a       1,000  1 2\n"
                                                                                                     "longer      9")


def test_loads_scale_and_never_vanish():
    load = loads.LOADS["hundred-rows"]
    assert load.scaled(0.5).events == load.events / 2
    assert load.scaled(1e-9).transactions == 1


def test_every_topic_of_a_load_is_named_once():
    for load in loads.LOADS.values():
        assert len(set(load.topic_names("slot"))) == load.topics


def test_payloads_have_their_size_and_are_the_same_in_every_run():
    assert len(loads.words(20_000)) == 20_000
    assert loads.words(300) == loads.words(300) and loads.words(300) != loads.words(300, seed=8)


def test_the_bare_loop_pauses_as_the_relay_does():
    def constants(file):
        text = (HERE.parents[1] / file).read_text()
        return {name: re.search(rf"\b{name} = ([^;]+);", text)[1] for name in ("kPauseBelowBytes", "kPauseNanos")}
    assert constants("tests/bench/bare_loop.cc") == constants("src/relay/runner.cc")
