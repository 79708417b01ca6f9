"""Rows that were in the table before the slot: they go out first, exactly meet the stream, and a crash repeats them whole."""
import time

import pytest
from harness import ExitCode, wait_for
from harness.outbox import Writer, first_occurrences

LASTING = {ExitCode.DATABASE_REFUSES, ExitCode.SLOT, ExitCode.CONFIGURATION}


def fill(site, rows):
    """Rows that the ledger knows, too."""
    site.sql("WITH new AS (INSERT INTO outbox (aggregatetype, aggregateid, type, payload) SELECT %s, 'old' || n %% 20, 'Placed', "
             "jsonb_build_object('n', n, 'pad', repeat('x', 300)) FROM generate_series(1, %s) n RETURNING id, aggregateid, payload) "
             "INSERT INTO ledger (id, key, number) SELECT id, aggregateid, (payload ->> 'n')::bigint FROM new", (site.name, rows))


@pytest.mark.limit(240)
@pytest.mark.parametrize("version", [pytest.param(13, marks=pytest.mark.full), 15, 18])
def test_a_crash_in_the_middle_repeats_the_snapshot_and_it_meets_the_stream_exactly(new_site, servers, version):
    site = new_site(servers(version))
    fill(site, 60_000)
    writer = Writer(site, deletes=False).start()
    relay = site.relay().start(wait=False)
    wait_for(lambda: site.count() > 1000, 30, site.tails, 0.01)
    relay.kill9()
    wait_for(lambda: not site.postgres.sql("SELECT 1 FROM pg_replication_slots WHERE database = %s", (site.database,)), 20,
             "no half-made slot is left")
    published_before = {(record.partition, record.offset) for record in site.records()}
    assert len(published_before) < 60_000, "the crash came too late to test anything"

    relay.start(timeout_s=60)
    time.sleep(2)
    writer.stop()
    site.wait_all_confirmed()
    second_run = [record for record in site.records() if (record.partition, record.offset) not in published_before]
    ids = [record.id for record in second_run]
    committed = {event for events in writer.committed().values() for event in events}
    assert set(ids) == committed
    assert len(ids) == len(committed), "snapshot and stream overlap"
    assert relay.stop() == ExitCode.STOPPED


def test_the_stream_follows_the_snapshot_in_order(site):
    fill(site, 2000)
    relay = site.relay().start()
    writer = Writer(site).start()
    time.sleep(2)
    writer.stop()
    site.wait_all_confirmed()
    arrived = first_occurrences(site.records())
    committed = writer.committed()
    assert {key: arrived[key] for key in committed} == committed
    relay.stop()
    relay.start()
    relay.stop()
    assert site.count() == sum(len(events) for events in committed.values()), "the snapshot was repeated at a later start"


def test_no_data_sends_no_old_rows(site):
    fill(site, 100)
    site.relay({"snapshot.mode": "no_data"}).start()
    site.insert(key="new")
    assert [record.key for record in site.wait_records(1)] == [b"new"]


def test_initial_only_ends_by_itself(site):
    fill(site, 100)
    relay = site.relay({"snapshot.mode": "initial_only"}).start(wait=False)
    relay.wait_exit(ExitCode.STOPPED, 30)
    assert site.count() == 100


def test_the_role_that_reads_the_snapshot_needs_select_alone(new_site, servers):
    site = new_site(servers(18))
    fill(site, 10)
    site.sql(f"CREATE PUBLICATION {site.slot}_publication FOR TABLE outbox WITH (publish = 'insert')")
    site.sql("CREATE ROLE reader LOGIN REPLICATION")
    site.sql("GRANT USAGE ON SCHEMA public TO reader; GRANT SELECT ON outbox TO reader")
    relay = site.relay({"database.user": "reader"}).start()
    assert len(site.wait_records(10)) == 10
    site.insert()
    assert len(site.wait_records(11)) == 11
    assert relay.stop() == ExitCode.STOPPED
    site.sql("DROP OWNED BY reader; DROP ROLE reader")


def test_one_free_slot_is_said_by_name(new_site, new_postgres):
    site = new_site(new_postgres(15, {"max_replication_slots": "1"}))
    fill(site, 10)
    relay = site.relay().start(wait=False)
    assert relay.child.wait(15) in LASTING
    assert "max_replication_slots" in relay.output()
