"""The evidence record: a lost slot is told apart from a first start, and nothing is gone over in silence."""
import json
import time

import pytest
from harness import ExitCode
from test_refusals import refused


@pytest.fixture
def record(site):
    """A relay, and the file of its record."""
    relay = site.relay()
    return relay, relay.settings["postrider.state.file"]


def lsn(text):
    high, low = text.split("/")
    return (int(high, 16) << 32) + int(low, 16)


def confirmed(site):
    return lsn(site.postgres.value("SELECT confirmed_flush_lsn::text FROM pg_replication_slots WHERE slot_name = %s", (site.slot,)))


def run_once(site, relay, rows=5):
    relay.start()
    site.insert(rows=rows)
    site.wait_all_confirmed()
    assert relay.stop() == ExitCode.STOPPED


def drop_slot(site):
    site.sql("SELECT pg_drop_replication_slot(%s)", (site.slot,))


def test_the_record_is_never_behind_the_slot(site, record):
    relay, file = record
    relay.start()
    assert "first start: continuity not proven" in relay.output()
    for _ in range(20):
        site.insert(rows=20)
        position = confirmed(site)
        assert lsn(json.loads(file.read_text())["lsn"]) >= position
        time.sleep(0.05)
    site.wait_all_confirmed()
    relay.kill9()
    kept = json.loads(file.read_text())
    assert lsn(kept["lsn"]) >= confirmed(site)
    assert kept["slot"] == site.slot and kept["system_identifier"] == site.postgres.value("SELECT system_identifier::text FROM pg_control_system()")
    relay.start()
    assert "continuity not proven" not in relay.output()
    assert relay.stop() == ExitCode.STOPPED


def test_a_slot_that_was_dropped_is_not_made_again_by_itself(site, record):
    relay, _ = record
    run_once(site, relay)
    drop_slot(site)
    site.insert(rows=3)
    for _ in range(2):  # nor by a restart
        refused(relay, ExitCode.SLOT, site.slot, "is gone", "pg_create_logical_replication_slot", "--accept-gap")
    assert site.postgres.value("SELECT count(*) FROM pg_replication_slots WHERE slot_name = %s", (site.slot,)) == 0
    relay.start(options=["--accept-gap"])
    assert "gap_accepted" in relay.output()
    site.insert(rows=2)
    site.wait_all_confirmed()
    assert relay.stop() == ExitCode.STOPPED
    relay.start()  # and the record is right again
    assert relay.stop() == ExitCode.STOPPED


def test_a_slot_that_was_made_anew_is_ahead_of_the_record(site, record):
    relay, _ = record
    run_once(site, relay)
    drop_slot(site)
    site.insert(rows=3)
    site.sql("SELECT pg_create_logical_replication_slot(%s, 'pgoutput')", (site.slot,))
    before = confirmed(site)
    refused(relay, ExitCode.SLOT, site.slot, "made anew", "--accept-gap")
    assert confirmed(site) == before


def test_when_needed_goes_on_with_a_snapshot(site, record):
    relay, _ = record
    relay.settings["snapshot.mode"] = "when_needed"
    run_once(site, relay, rows=5)
    drop_slot(site)
    site.insert(rows=3)
    relay.start()
    assert "gap_accepted" in relay.output()
    site.wait_records(13)  # five, and the table's eight by the snapshot
    assert relay.stop() == ExitCode.STOPPED


def test_another_cluster_is_refused(site, record, new_site, new_postgres):
    relay, _ = record
    run_once(site, relay)
    other = new_site(new_postgres())
    stranger = other.relay(relay.settings | {"database.port": other.postgres.port, "database.dbname": other.database})
    refused(stranger, ExitCode.CONTINUITY, "another cluster", "database.hostname")
    assert other.postgres.value("SELECT count(*) FROM pg_replication_slots") == 0
    assert other.postgres.sql("SELECT 1 FROM pg_publication", database=other.database) == []


def test_no_slot_is_made_where_none_may_be(site):
    relay = site.relay({"postrider.slot.create": "never"})
    refused(relay, ExitCode.SLOT, site.slot, "postrider.slot.create=never", "pg_create_logical_replication_slot")


def test_a_file_that_cannot_be_kept_ends_the_start(site):
    refused(site.relay({"postrider.state.file": "/nowhere/at/all.json"}), ExitCode.CONFIGURATION, "postrider.state.file", "/nowhere/at/all.json")


def test_a_damaged_record_is_refused(site, record):
    relay, file = record
    file.write_text("{\"format\": 1, ")
    refused(relay, ExitCode.CONTINUITY, str(file), "--accept-gap")
