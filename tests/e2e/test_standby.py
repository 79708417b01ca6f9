"""Two relays, one slot: the second stands by, and is quick to take over however the first one ends."""
import re
import time

import pytest
from harness import ExitCode, wait_for
from harness.outbox import Writer, first_occurrences

SENDER_TIMEOUT_S = 5


@pytest.fixture
def relays(new_site, new_postgres):
    """A site, the relay that streams, and the one that stands by; both share the evidence record."""
    site = new_site(new_postgres(15, {"wal_sender_timeout": f"{SENDER_TIMEOUT_S}s"}))
    first = site.relay({"snapshot.mode": "no_data"}).start()
    second = site.relay({"snapshot.mode": "no_data", "postrider.state.file": first.settings["postrider.state.file"]}).start(wait=False)
    second.wait_says("state=standby")
    return site, first, second


def takeover_s(site, old, end):
    """Seconds from `end()` until another walsender streams the slot."""
    started = time.monotonic()
    end()
    wait_for(lambda: site.postgres.streaming_pid(site.slot) not in (None, old), 30, lambda: f"taken over\n{site.tails()}", 0.01)
    return time.monotonic() - started


def check(site, writer):
    writer.stop()
    site.wait_all_confirmed(90)
    committed, arrived = writer.committed(), first_occurrences(site.records())
    assert arrived == committed, "an id is missing, was never committed, or stands out of order"


def test_it_is_ready_and_cheap(relays):
    site, first, second = relays
    assert "is held by" in second.output()
    before, started = second.cpu_s(), time.monotonic()
    time.sleep(3)
    assert (second.cpu_s() - before) / (time.monotonic() - started) < 0.05
    lines = len(re.findall("WARN +standby", second.output()))
    assert lines == 1, "said once, not at each look"
    assert first.running() and second.running()


def test_takes_over_within_two_seconds_after_a_kill(relays):
    site, first, second = relays
    writer = Writer(site).start()
    site.wait_records(100)
    assert takeover_s(site, first.walsender(), first.kill9) < 2
    assert second.running()
    seen = site.count()
    site.wait_records(seen + 100)
    check(site, writer)
    assert second.stop() == ExitCode.STOPPED


def test_takes_over_within_a_second_after_a_clean_stop_and_repeats_nothing(relays):
    site, first, second = relays
    site.insert(rows=50)
    site.wait_all_confirmed()
    for old, new in ((first, second), (second, first)) * 3:
        pid = old.walsender()
        seconds = takeover_s(site, pid, lambda old=old: old.child.signal(15))
        assert seconds < 1, f"{seconds:.2f} s"
        assert old.child.wait(10) == ExitCode.STOPPED
        assert new.running(), new.child.tail()
        site.insert(rows=5)
        site.wait_all_confirmed()
        old.start(wait=False)
        old.wait_says("state=standby")
    records = site.records()
    assert len(records) == len({record.id for record in records}) == 80


@pytest.mark.limit(180)
def test_takes_over_from_a_frozen_relay_which_gives_up_what_it_has_not_sent(relays):
    site, first, second = relays
    writer = Writer(site).start()
    site.wait_records(200)
    seconds = takeover_s(site, first.walsender(), first.child.freeze)
    assert seconds < SENDER_TIMEOUT_S + 2, f"{seconds:.2f} s"
    seen = site.count()
    site.wait_records(seen + 200)
    first.child.thaw()
    first.wait_says("did not run for longer than wal_sender_timeout")
    wait_for(lambda: first.output().count("state=standby") == 1, 20, lambda: f"the first stands by\n{first.child.tail()}")
    seen = site.count()
    site.wait_records(seen + 100)
    assert takeover_s(site, second.walsender(), second.kill9) < 2
    check(site, writer)
    assert first.stop() == ExitCode.STOPPED


@pytest.mark.limit(180)
def test_late_duplicates_of_a_thawed_relay_leave_first_occurrences_in_order(relays):
    """Frozen with records in its queue: the broker was slow to take them."""
    site, first, second = relays
    writer = Writer(site, transactions_per_s=400).start()
    for _ in range(3):
        site.wait_records(site.count() + 200)
        streaming, waiting = (first, second) if first.output().rsplit("state state=", 1)[1].startswith("streaming") else (second, first)
        site.kafka.freeze()
        time.sleep(0.5)
        streaming.child.freeze()
        site.kafka.thaw()
        wait_for(lambda waiting=waiting: waiting.output().rsplit("state state=", 1)[1].startswith("streaming"), 30, "taken over")
        streaming.child.thaw()
        wait_for(lambda streaming=streaming: streaming.output().rsplit("state state=", 1)[1].startswith("standby"), 30, "stands by")
    check(site, writer)
