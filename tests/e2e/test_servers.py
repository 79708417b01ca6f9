"""Slots and publications that the server takes away, on the versions where it does so in its own way: each ends in a named state or an
exit code, with the SQL that helps, and never in a loop."""
import json

import pytest
from harness import ExitCode, wait_for
from harness.postgres import VERSIONS

GATE_VERSIONS = (13, 18)
ENDS_WITHIN_S = 15

every_version = pytest.mark.parametrize(
    "version", [pytest.param(version, marks=() if version in GATE_VERSIONS else pytest.mark.full) for version in VERSIONS])


def insert(site, key):
    site.sql("INSERT INTO outbox (aggregatetype, aggregateid, type, payload) VALUES (%s, %s, 'Placed', %s)",
             (site.name, key, json.dumps({"key": key})))


def keys(site):
    return sorted(record.key.decode() for record in site.records())


def ends(relay, code, *words):
    """Ends with this code, one line that says why, and all these words."""
    output = relay.wait_exit(code, ENDS_WITHIN_S)
    missing = [word for word in words if word not in output]
    assert not missing, f"the output does not name {missing}\n{output}"
    assert output.count(" ERROR failed ") == 1, output


def slot_is_lost(site):
    return site.postgres.value("SELECT wal_status = 'lost' FROM pg_replication_slots WHERE slot_name = %s", (site.slot,))


@every_version
def test_a_slot_that_is_lost_under_a_relay_that_cannot_go_on(new_site, new_postgres, version):
    """max_slot_wal_keep_size, while an event is held: the server ends the walsender and invalidates the slot."""
    site = new_site(new_postgres(version, {"max_slot_wal_keep_size": "1MB", "max_wal_size": "32MB", "min_wal_size": "32MB"}))
    site.sql(f"ALTER DATABASE {site.database} SET wal_sender_timeout = '5s'")  # a held relay sees that its connection is gone by its statuses
    site.kafka.create_topic(site.topic, config={"max.message.bytes": "20000"})
    relay = site.relay({"snapshot.mode": "no_data"}).start()
    insert(site, "before")
    site.wait_records(1)
    site.wait_all_confirmed()
    site.insert(key="lost", payload_bytes=50_000)
    relay.wait_says("state=held")
    for _ in range(3):
        site.fill_wal(40)
    wait_for(lambda: slot_is_lost(site), 30, "the slot lost")
    reason = "max_slot_wal_keep_size"
    drop = f"SELECT pg_drop_replication_slot('{site.slot}')"
    ends(relay, ExitCode.SLOT, site.slot, reason, drop)
    relay.start(wait=False)
    ends(relay, ExitCode.SLOT, site.slot, reason, drop)

    site.sql(drop)
    relay.start(options=["--accept-gap"])
    insert(site, "after")
    site.wait_records(2)
    site.wait_all_confirmed()
    assert keys(site) == ["after", "before"]


def test_a_slot_that_was_idle_for_too_long(new_site, new_postgres):
    """idle_replication_slot_timeout, which PostgreSQL 18 brought."""
    site = new_site(new_postgres(18, {"idle_replication_slot_timeout": "1s"}))
    relay = site.relay({"snapshot.mode": "no_data"}).start()
    insert(site, "before")
    site.wait_records(1)
    relay.stop()

    def checkpointed():
        site.sql("CHECKPOINT")
        return slot_is_lost(site)
    wait_for(checkpointed, 30, "the slot lost", 0.5)
    relay.start(wait=False)
    ends(relay, ExitCode.SLOT, site.slot, "idle_replication_slot_timeout", f"SELECT pg_drop_replication_slot('{site.slot}')")
    assert keys(site) == ["before"]


@every_version
def test_a_publication_that_was_made_after_the_slot(new_site, servers, version):
    """What was written between them cannot be delivered: an error of the server up to 17, nothing at all on 18."""
    site = new_site(servers(version))
    site.sql("SELECT pg_create_logical_replication_slot(%s, 'pgoutput')", (site.slot,))
    insert(site, "between")
    site.sql(f"CREATE PUBLICATION {site.slot}_publication FOR TABLE outbox WITH (publish = 'insert')")
    insert(site, "after")
    relay = site.relay({"snapshot.mode": "no_data"}).start(wait=False)
    ends(relay, ExitCode.PUBLICATION, f"{site.slot}_publication", f"SELECT pg_drop_replication_slot('{site.slot}')",
         f"SELECT pg_replication_slot_advance('{site.slot}', pg_current_wal_lsn())")
    assert site.count() == 0, "nothing is published past the gap"

    site.sql("SELECT pg_replication_slot_advance(%s, pg_current_wal_lsn())", (site.slot,))
    insert(site, "last")
    relay.settings["postrider.state.file"] = relay.folder / "anew.json"
    relay.start()
    site.wait_records(1)
    site.wait_all_confirmed()
    assert keys(site) == ["last"]


@every_version
@pytest.mark.parametrize("made_anew", [False, True])
def test_a_publication_that_is_dropped_in_mid_stream(new_site, servers, version, made_anew):
    """Made anew, it still was not there for what was written meanwhile: an error of the server up to 17, a silent skip on 18."""
    site = new_site(servers(version))
    relay = site.relay({"snapshot.mode": "no_data"}).start()
    insert(site, "before")
    site.wait_records(1)
    site.sql(f"DROP PUBLICATION {site.slot}_publication")
    insert(site, "without")
    if made_anew:
        site.sql(f"CREATE PUBLICATION {site.slot}_publication FOR TABLE outbox WITH (publish = 'insert')")
        insert(site, "after")
    output = relay.wait_exit(ExitCode.PUBLICATION, 45)
    assert f"{site.slot}_publication" in output and "drop" in output.lower()
    assert keys(site) == ["before"]


@pytest.mark.full  # the gate has test_publication.py for the watch
@pytest.mark.limit(180)
@pytest.mark.parametrize("version", VERSIONS)
def test_a_publication_that_is_narrowed_in_mid_stream(new_site, servers, version):
    """The table is taken out of it: the watch puts it back, and says that rows were not published."""
    site = new_site(servers(version))
    relay = site.relay({"snapshot.mode": "no_data"}).start()
    site.sql("CREATE TABLE other (n int)")
    site.sql(f"ALTER PUBLICATION {site.slot}_publication SET TABLE other")
    insert(site, "without")
    relay.wait_says("table_published", 45)
    line = next(line for line in relay.output().splitlines() if "table_published" in line)
    assert " ERROR " in line and "public.outbox" in line and "rows committed before" in line
    insert(site, "after")
    site.wait_records(1)
    site.wait_all_confirmed()
    assert keys(site) == ["after"]
    assert relay.stop() == ExitCode.STOPPED


@pytest.mark.full
@pytest.mark.limit(180)
def test_a_publication_that_publishes_no_inserts_any_more(site):
    relay = site.relay({"snapshot.mode": "no_data"}).start()
    insert(site, "before")
    site.wait_records(1)
    site.sql(f"ALTER PUBLICATION {site.slot}_publication SET (publish = 'update')")
    insert(site, "without")
    output = relay.wait_exit(ExitCode.PUBLICATION, 45)
    assert f"ALTER PUBLICATION \"{site.slot}_publication\" SET (publish = 'insert')" in output.replace('\\"', '"')
