"""The evidence record: a lost slot is told apart from a first start, and nothing is gone over in silence."""
import json
import time

import pytest
from harness import ExitCode, wait_for
from test_handback import handback
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


# ---- postrider.state.topic: relays on several hosts -------------------------------------------------------------------


@pytest.fixture
def host(site):
    """host(...): a relay on a host of its own; what they share is the topic."""
    def make(of=site, **settings):
        return of.relay({"postrider.state.file": None, "postrider.state.topic": f"evidence-{of.name}"} | settings)
    return make


def kept(site):
    """The newest record in the topic."""
    records = [record for record in site.kafka.records([f"evidence-{site.name}"]) if record.key == site.slot.encode()]
    return json.loads(records[-1].value)


def test_a_topic_is_made_and_is_never_behind_the_slot(site, host):
    relay = host().start()
    assert "first start: continuity not proven" in relay.output()
    topic = relay.settings["postrider.state.topic"]
    for _ in range(10):
        site.insert(rows=20)
        position = confirmed(site)
        assert lsn(kept(site)["lsn"]) >= position
        time.sleep(0.05)
    site.wait_all_confirmed()
    assert site.kafka.topic_config(topic, "cleanup.policy") == "compact"
    assert len(site.kafka.admin.list_topics(topic, timeout=20).topics[topic].partitions) == 1
    relay.kill9()
    assert lsn(kept(site)["lsn"]) >= confirmed(site)
    relay.start()
    assert "continuity not proven" not in relay.output()
    assert relay.stop() == ExitCode.STOPPED


def test_a_slot_that_was_lost_is_found_by_a_relay_on_another_host(site, host):
    run_once(site, host())
    drop_slot(site)
    site.insert(rows=3)
    other = host()
    refused(other, ExitCode.SLOT, site.slot, "is gone", f"the topic evidence-{site.name}", "--accept-gap")
    assert site.count() == 5 and not site.postgres.slot_exists(site.slot)
    other.start(options=["--accept-gap"])
    assert "gap_accepted" in other.output()
    site.insert(rows=2)
    site.wait_all_confirmed()
    assert other.stop() == ExitCode.STOPPED
    run_once(site, host())


def test_a_standby_on_another_host_goes_on_with_the_record_as_it_is_then(site, host):
    """And the first one, thawed, does not set it back."""
    site.sql(f"ALTER DATABASE {site.database} SET wal_sender_timeout = '3s'")
    first = host().start()
    site.insert(rows=5)
    site.wait_all_confirmed()
    second = host().start(wait=False)
    second.wait_says("state=standby")
    site.insert(rows=5)
    site.wait_all_confirmed()
    frozen = first.walsender()
    first.child.freeze()
    wait_for(lambda: site.postgres.streaming_pid(site.slot) not in (None, frozen), 10, lambda: f"taken over\n{site.tails()}")
    assert "gap_accepted" not in second.output()
    site.insert(rows=5)
    site.wait_all_confirmed()
    first.child.thaw()
    first.wait_says("state=standby", 30)
    site.insert(rows=5)
    site.wait_all_confirmed()
    assert lsn(kept(site)["lsn"]) >= confirmed(site)
    started = time.monotonic()
    second.kill9()
    first.wait_streaming(5)
    assert time.monotonic() - started < 2
    assert first.stop() == ExitCode.STOPPED
    run_once(site, host())


@pytest.mark.full
def test_a_broker_that_is_away_is_waited_for_and_named(new_site, new_kafka, host):
    site = new_site(broker=new_kafka())
    relay = host(site)
    run_once(site, relay)
    site.kafka.kill9()
    relay.start(wait=False)
    relay.wait_says("state=waiting", 30)
    assert f'topic \\"evidence-{site.name}\\", where the evidence record is, cannot be reached' in relay.output()
    assert relay.running() and not relay.walsender()
    site.kafka.start()
    relay.wait_streaming(40)
    site.insert(rows=5)
    site.wait_records(10)
    site.wait_all_confirmed()
    site.kafka.freeze()
    site.insert(rows=5)
    time.sleep(0.5)
    started = time.monotonic()
    assert relay.stop() == ExitCode.STOPPED_EARLY
    assert time.monotonic() - started < 8
    site.kafka.thaw()
    run_once(site, relay)


def test_a_topic_that_would_forget_is_refused(site, host):
    relay = host()
    site.kafka.create_topic(relay.settings["postrider.state.topic"], 1, {"cleanup.policy": "delete"})
    refused(relay, ExitCode.CONTINUITY, relay.settings["postrider.state.topic"], "cleanup.policy=delete", "cleanup.policy=compact")


def test_handback_marks_the_record_in_the_topic(site, host):
    relay = host()
    run_once(site, relay)
    _, advice = handback(relay)
    assert f"the topic evidence-{site.name} is marked" in advice
    assert kept(site)["handed_back"] is True
    site.insert(rows=3)
    site.sql("SELECT pg_replication_slot_advance(%s, pg_current_wal_lsn())", (site.slot,))  # another program reads it
    run_once(site, host(), rows=2)
    assert "handed_back" not in kept(site)
