"""A standby is promoted under load: with failover slots and synchronous replication nothing is lost and nothing is made up; without them it is said."""
import time

import pytest
from harness import ExitCode, wait_for
from harness.outbox import Writer, first_occurrences
from harness.process import ROOT
from harness.standby import Standby

FAILOVER = {"slot.failover": "true", "snapshot.mode": "no_data"}


@pytest.fixture
def pair(new_postgres):
    """pair(version, sync_slots): a primary and its standby."""
    made = []

    def make(version, sync_slots=False):
        primary = new_postgres(version, {"wal_sender_timeout": "5s"})
        made.append(Standby(primary, sync_slots))
        return primary, made[-1]

    yield make
    for standby in made:
        if standby.child.running():
            standby.kill9()


def cut_off(standby):
    """From here on the standby hears nothing more."""
    standby.settings["primary_conninfo"] = "host=127.0.0.1 port=1"
    standby.write_settings()
    standby.sql("SELECT pg_reload_conf()")
    wait_for(lambda: not standby.primary.value("SELECT count(*) FROM pg_stat_replication WHERE application_name = %s", (Standby.SLOT,)), 30,
             "the standby is cut off")


def both(primary, standby):
    return {"database.hostname": "127.0.0.1,127.0.0.1", "database.port": f"{primary.port},{standby.port}"}


def promote(site, standby):
    """The primary dies; from here on the site is on the standby."""
    site.postgres.kill9()
    standby.promote()
    site.postgres = standby
    for relay in site.relays:
        relay.postgres = standby


def field(output, event, name):
    """The value of a field in the last line of an event."""
    line = [line for line in output.splitlines() if f" {event} " in line][-1]
    return line.split(f" {name}=", 1)[1].split()[0]


@pytest.mark.limit(400)
@pytest.mark.parametrize("version", [pytest.param(17, marks=pytest.mark.full), 18])
def test_promotion_under_load_loses_nothing_and_leaves_nothing_too_much(new_site, pair, version):
    primary, standby = pair(version, sync_slots=True)
    site = new_site(primary)
    relay = site.relay(FAILOVER | both(primary, standby)).start()
    standby.wait_synced(site.slot)
    primary.psql(ROOT / "sql" / "failover.sql")
    wait_for(lambda: primary.value("SELECT sync_state FROM pg_stat_replication WHERE application_name = %s", (Standby.SLOT,)) == "sync", 20,
             "commits wait for the standby")
    writer = Writer(site, transactions_per_s=60).start()
    site.wait_records(200, 60)
    promote(site, standby)
    relay.wait_streaming(60)
    seen = site.count()
    site.wait_records(seen + 200, 60)
    writer.stop()
    site.wait_all_confirmed(90)
    committed, arrived = writer.committed(), first_occurrences(site.records())
    assert set(committed) == set(arrived)
    for key in committed:
        assert arrived[key] == committed[key], f"{key}: lost, made up, or in another order"
    assert relay.runs == 1 and "server_changed" in relay.output()
    assert "transactions_vanished" not in relay.output()
    assert '0/0 (proto_version' in standby.log.read_text(), "positions of the old timeline mean nothing here"
    assert relay.stop() == ExitCode.STOPPED


@pytest.mark.limit(300)
def test_events_of_transactions_that_vanished_are_counted(new_site, pair):
    """The standby does not hear of the last transactions, and nobody waits for it."""
    primary, standby = pair(17)
    site = new_site(primary)
    relay = site.relay(FAILOVER | both(primary, standby)).start()
    site.insert(rows=5)
    site.wait_all_confirmed()
    standby.wait_synced(site.slot)
    wait_for(lambda: standby.sql("SELECT count(*) FROM outbox", database=site.database)[0][0] == 5, 30, "the standby has the rows")
    primary.sql("SELECT pg_switch_wal()")
    cut_off(standby)
    for _ in range(3):
        site.insert(rows=2)
    site.wait_records(11)
    site.wait_all_confirmed()
    promote(site, standby)
    relay.wait_streaming(60)
    relay.wait_says("transactions_vanished")
    assert field(relay.output(), "transactions_vanished", "transactions") == "3"
    assert field(relay.output(), "transactions_vanished", "events") == "6"
    site.insert(rows=4)
    site.wait_all_confirmed()
    ids = {row[0] for row in site.sql("SELECT id::text FROM outbox")}
    assert len(ids) == 9 and ids <= {record.id for record in site.records()}
    assert relay.stop() == ExitCode.STOPPED
    relay.start()
    assert "transactions_vanished" not in relay.output(), "said once"
    assert relay.stop() == ExitCode.STOPPED


@pytest.mark.limit(300)
def test_a_relay_started_after_the_failover_says_that_it_cannot_count(new_site, pair):
    primary, standby = pair(17)
    site = new_site(primary)
    relay = site.relay(FAILOVER | both(primary, standby)).start()
    site.insert()
    site.wait_all_confirmed()
    standby.wait_synced(site.slot)
    cut_off(standby)
    site.insert(rows=3)
    site.wait_records(4)
    site.wait_all_confirmed()
    assert relay.stop() == ExitCode.STOPPED
    promote(site, standby)
    relay.start(timeout_s=60)
    relay.wait_says("transactions_vanished")
    assert field(relay.output(), "transactions_vanished", "events") == "unknown"
    assert relay.stop() == ExitCode.STOPPED


@pytest.mark.limit(300)
def test_without_a_failover_slot_the_relay_stops_and_says_so(new_site, pair):
    primary, standby = pair(17)
    site = new_site(primary)
    relay = site.relay({"snapshot.mode": "no_data"} | both(primary, standby)).start()
    site.insert(rows=3)
    site.wait_all_confirmed()
    promote(site, standby)
    output = relay.wait_exit(ExitCode.SLOT, 60)
    assert site.slot in output and "failover" in output
    relay.start(wait=False)
    output = relay.wait_exit(ExitCode.SLOT, 60)
    assert "is gone" in output and "--accept-gap" in output
    assert not standby.slot_exists(site.slot)


@pytest.mark.limit(300)
def test_a_former_primary_is_not_read(new_site, pair):
    """It comes back beside the new one, at the same address, and takes writes: its slot is still there."""
    primary, standby = pair(17)
    site = new_site(primary)
    relay = site.relay(FAILOVER | both(primary, standby)).start()
    standby.wait_synced(site.slot)
    promote(site, standby)
    relay.wait_streaming(60)
    site.insert()
    site.wait_records(1)
    primary.start()
    primary.sql("INSERT INTO outbox (aggregatetype, aggregateid, type, payload) VALUES (%s, 'k', 'Placed', '{}')", (site.name,), database=site.database)
    standby.sql("SELECT pg_terminate_backend(%s)", (relay.walsender(),))
    relay.wait_says("former primary")
    time.sleep(1)
    assert site.count() == 1
    primary.kill9()
    relay.wait_streaming(60)
    site.insert()
    site.wait_records(2)
    assert relay.stop() == ExitCode.STOPPED
