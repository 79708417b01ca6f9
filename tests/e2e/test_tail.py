"""`postrider tail` shows what `run` would publish, and `postrider status` the server's slots: neither touches a slot that is there."""
import json
import subprocess

import pytest
from harness import ExitCode, wait_for
from harness.relay import AS_TEXT, binary, write_properties


def tail(site, relay, *options):
    write_properties(relay.files[0], relay.settings)
    child = subprocess.Popen([binary(), "tail", *options, *map(str, relay.files)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             env=relay.environment)
    wait_for(lambda: site.postgres.value("SELECT count(*) FROM pg_replication_slots WHERE temporary AND active") == 1, 10, "tail looks on")
    return child


def wait_tap_gone(site):
    wait_for(lambda: site.postgres.value("SELECT count(*) FROM pg_replication_slots WHERE temporary") == 0, 10, "its slot is gone")


def test_tail_shows_what_run_publishes(site):
    relay = site.relay(AS_TEXT).start()
    site.insert()
    site.wait_records(1)
    child = tail(site, relay, "--json")
    confirmed = site.postgres.confirmed_lsn(site.slot)
    relay.stop()
    site.insert(rows=2, key="ü")
    lines = [json.loads(child.stdout.readline()) for _ in range(2)]
    assert site.postgres.confirmed_lsn(site.slot) >= confirmed
    child.terminate()
    child.wait(10)
    wait_tap_gone(site)
    relay.start()
    site.wait_records(3)
    published = [record for record in site.records() if record.key.decode() == "ü"]
    assert {(line["topic"], line["key"], line["value"], line["headers"][0]["value"]) for line in lines} == {
        (site.topic, record.key.decode(), record.value.decode(), record.id) for record in published}
    assert relay.stop() == ExitCode.STOPPED


@pytest.mark.full
def test_tail_gives_its_slot_up_when_nobody_reads(site):
    """The output is a pipe that is full: WAL beyond 256 MB is not held back for it."""
    relay = site.relay(AS_TEXT).start()
    child = tail(site, relay)
    site.insert(rows=20, payload_bytes=1_000_000)
    site.fill_wal(300)
    assert child.wait(60) == ExitCode.INTERNAL
    assert "held back" in child.stderr.read()
    wait_tap_gone(site)
    site.wait_all_confirmed(timeout_s=120)
    assert relay.running()


def test_tail_wants_a_publication(site):
    relay = site.relay(AS_TEXT)
    write_properties(relay.files[0], relay.settings)
    answer = relay.command("tail")
    assert answer.returncode == ExitCode.PUBLICATION and "does not exist" in answer.stderr


def test_status_shows_every_slot_without_a_relay(site):
    relay = site.relay(AS_TEXT).start()
    site.postgres.sql("SELECT pg_create_physical_replication_slot('somebody_elses')")
    try:
        text = relay.command("status").stdout
        assert f"* {site.slot}" in text and "somebody_elses" in text and "physical" in text
        relay.stop()
        assert f"* {site.slot}" in relay.command("status", "--once").stdout
    finally:
        site.postgres.sql("SELECT pg_drop_replication_slot('somebody_elses')")
