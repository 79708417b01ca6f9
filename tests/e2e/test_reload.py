"""SIGHUP: the files are read again. Level, thresholds, the policy for events that cannot be published and secrets are taken, or nothing is."""
import re
import signal
import time

import pytest
from harness import ExitCode, wait_for
from harness.monitor import Pages
from harness.relay import write_properties


def hang_up(relay, settings):
    """Changes the file and sends SIGHUP; the line that answers it."""
    answers = len(re.findall("SIGHUP ", relay.output()))
    relay.settings |= settings
    write_properties(relay.files[0], relay.settings)
    relay.child.signal(signal.SIGHUP)

    def answer():
        lines = [line for line in relay.output().splitlines() if "SIGHUP " in line]
        return lines[answers] if len(lines) > answers else None
    return wait_for(answer, 10, lambda: f"an answer to SIGHUP\n{relay.child.tail()}", 0.02)


def goes_on(site, relay, walsender):
    site.insert()
    site.wait_all_confirmed()
    assert relay.walsender() == walsender and relay.runs == 1, "the stream does not notice"


@pytest.fixture
def relay(site):
    return site.relay({"postrider.log.level": "warn"}).start()


def test_the_log_level_and_thresholds_are_taken(site, relay):
    walsender = relay.walsender()
    assert " INFO " not in relay.output()
    line = hang_up(relay, {"postrider.log.level": "debug", "postrider.wal.budget.bytes": 10**9, "postrider.poison.attempts": 5})
    assert "INFO  reloaded" in line and "taken: postrider.log.level, postrider.poison.attempts, postrider.wal.budget.bytes" in line
    Pages(relay.settings["postrider.http.address"]).wait_metric("postrider_slot_wal_limit_bytes", lambda value: value == 10**9)
    assert "nothing to take has changed" in hang_up(relay, {})
    line = hang_up(relay, {"postrider.log.level": "error"})
    assert "INFO  reloaded" in line and 'taken: postrider.log.level"' in line, "said although the new level is above it"
    goes_on(site, relay, walsender)
    assert relay.stop() == ExitCode.STOPPED
    assert "INFO" not in relay.output().split(line)[1]


def test_any_other_key_needs_a_restart_and_nothing_is_taken(site, relay):
    walsender = relay.walsender()
    line = hang_up(relay, {"postrider.log.level": "info", "slot.name": "another", "producer.linger.ms": "77", "database.dbname": "elsewhere"})
    assert "ERROR reload_refused" in line
    assert "needs a restart: database.dbname, producer.linger.ms, slot.name" in line
    goes_on(site, relay, walsender)
    assert " INFO " not in relay.output(), "the level is as it was"
    line = hang_up(relay, {"slot.name": site.slot, "producer.linger.ms": None, "database.dbname": site.database})
    assert "taken: postrider.log.level" in line, "compared with what holds, not with what was refused"
    assert relay.stop() == ExitCode.STOPPED


def test_a_file_that_is_broken_changes_nothing(site, relay):
    walsender = relay.walsender()
    line = hang_up(relay, {"postrider.log.level": "loud", "postrider.poison.attempts": "7"})
    assert "ERROR reload_refused" in line and "postrider.log.level" in line and "debug" in line
    relay.files[0].rename(relay.files[0].with_suffix(".away"))
    relay.child.signal(signal.SIGHUP)
    relay.wait_says("does not exist")
    goes_on(site, relay, walsender)
    assert relay.stop() == ExitCode.STOPPED


def test_a_password_that_is_written_in_the_file(site):
    site.sql(f"CREATE ROLE {site.slot} LOGIN SUPERUSER REPLICATION PASSWORD 'first-secret' IN ROLE with_password")
    relay = site.relay({"database.user": site.slot, "database.password": "first-secret"}).start()
    before = relay.walsender()
    site.sql(f"ALTER ROLE {site.slot} PASSWORD 'second-secret'")
    assert "taken: database.password" in hang_up(relay, {"database.password": "second-secret"})
    site.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %s", (site.slot,))
    wait_for(lambda: relay.walsender() not in (None, before), 20, lambda: f"a new walsender\n{relay.child.tail()}", 0.1)
    assert "password authentication failed" not in relay.output()
    goes_on(site, relay, relay.walsender())
    assert relay.stop() == ExitCode.STOPPED
    assert "-secret" not in relay.output()


def test_the_policy_for_events_that_cannot_be_published(site):
    """An event is held; a dead-letter topic that is configured now takes it, without a restart."""
    site.kafka.create_topic(site.topic, config={"max.message.bytes": "20000"})
    relay = site.relay({"snapshot.mode": "no_data"}).start()
    walsender = relay.walsender()
    site.insert(key="large", payload_bytes=50_000)
    relay.wait_says("state=held")
    dead_letters = f"{site.topic}.dead"
    line = hang_up(relay, {"errors.deadletterqueue.topic.name": dead_letters, "errors.deadletterqueue.topic.replication.factor": "1",
                           "postrider.poison.attempts": "2"})
    assert "taken: errors.deadletterqueue.topic.name" in line
    site.insert(key="behind")
    site.wait_all_confirmed(60)
    assert site.kafka.count([dead_letters]) == 1
    assert [record.key for record in site.records()] == [b"behind"]
    assert relay.walsender() == walsender
    assert relay.stop() == ExitCode.STOPPED


def test_many_signals_under_load(site, relay):
    walsender = relay.walsender()
    for _ in range(30):
        site.insert(rows=20)
        relay.child.signal(signal.SIGHUP)
        time.sleep(0.02)
    assert "taken: postrider.poison.attempts" in hang_up(relay, {"postrider.poison.attempts": "9"})
    goes_on(site, relay, walsender)
    assert len(site.records()) == 601
    assert relay.stop() == ExitCode.STOPPED
