"""Servers that freeze, stop, start late, or are busy with something else."""
import time

import pytest
from harness import ExitCode, free_port, wait_for
from harness.process import ROOT


@pytest.mark.limit(240)
def test_a_frozen_broker_costs_neither_connection_nor_memory(new_site, new_postgres, new_kafka, full):
    site = new_site(new_postgres(15, {"wal_sender_timeout": "5s"}), new_kafka())
    relay = site.relay({"snapshot.mode": "no_data"}).start()
    site.insert(rows=1000)
    site.wait_records(1000)
    site.wait_all_confirmed()

    site.kafka.freeze()
    frozen_at = time.monotonic()
    walsender = relay.walsender()
    site.insert_transactions(1000, rows=100)
    time.sleep(2)
    confirmed = site.postgres.confirmed_lsn(site.slot)
    cpu_before = relay.cpu_s()
    time.sleep(10)
    assert relay.cpu_s() - cpu_before < 0.5, "it waits, and does not spin"
    time.sleep(max(0, (60 if full else 20) - (time.monotonic() - frozen_at)))
    assert relay.walsender() == walsender
    assert site.postgres.confirmed_lsn(site.slot) == confirmed
    assert relay.peak_mb() < 80

    site.kafka.thaw()
    site.wait_all_confirmed(timeout_s=90)
    assert relay.peak_mb() < 80
    assert len({record.id for record in site.records()}) == 101_000


@pytest.mark.limit(180)
def test_writes_to_another_database_do_not_hold_back_wal(new_site, new_postgres, full):
    """With a role that can write nothing, so that no heartbeat can hide a fault."""
    site = new_site(new_postgres())
    for name in ("02-publication-slot.sql", "03-role.sql"):
        site.postgres.psql(ROOT / "sql" / name, site.database)
    relay = site.relay({"database.user": "postrider", "slot.name": "outbox", "publication.name": "outbox_publication",
                        "publication.autocreate.mode": "disabled"})
    relay.slot = "outbox"
    relay.start()
    site.postgres.sql("CREATE DATABASE neighbour")
    neighbour = site.postgres.connect("neighbour")
    lags = []
    with neighbour.cursor() as cursor:
        cursor.execute("CREATE TABLE filler (data text); ALTER TABLE filler ALTER data SET STORAGE EXTERNAL")
        started = time.monotonic()
        for number in range(300 if full else 100):
            cursor.execute("INSERT INTO filler VALUES (repeat('x', 1048576))")
            if number % 10 == 0:
                lags.append(site.postgres.unconfirmed_bytes("outbox"))
            time.sleep(max(0, started + number * 0.1 - time.monotonic()))
    neighbour.close()
    assert max(lags) < 16 * 2**20, lags
    time.sleep(10)
    assert site.postgres.unconfirmed_bytes("outbox") < 2**20
    assert relay.stop() == ExitCode.STOPPED
    site.postgres.drop_slot("outbox")


@pytest.mark.full
def test_a_broker_that_starts_late_is_waited_for(new_site, new_kafka):
    site = new_site(broker=new_kafka())
    site.kafka.stop()
    relay = site.relay().start(wait=False)
    site.insert(rows=10)
    time.sleep(2)
    assert relay.running()
    site.kafka.start()
    assert len(site.wait_records(10)) == 10


def test_a_server_that_starts_late_is_waited_for_and_named(new_site, new_postgres):
    site = new_site(new_postgres())
    site.postgres.stop()
    relay = site.relay().start(wait=False)
    relay.wait_says(str(site.postgres.port))
    assert relay.running()
    site.postgres.start()
    relay.wait_streaming(30)
    site.insert()
    assert len(site.wait_records(1)) == 1


def test_a_server_stops_fast_while_all_is_published(new_site, new_postgres):
    site = new_site(new_postgres())
    relay = site.relay().start()
    site.insert(rows=10)
    site.wait_records(10)
    started = time.monotonic()
    site.postgres.stop("fast")
    assert time.monotonic() - started < 5
    site.postgres.start()
    relay.wait_streaming(30)
    site.insert()
    site.wait_records(11)
    site.wait_all_confirmed()
    assert len({record.id for record in site.records()}) == 11


def test_a_server_stops_fast_while_the_broker_is_frozen(new_site, new_postgres, new_kafka):
    """A walsender waits for the last confirmation: the relay must not keep the server from stopping."""
    site = new_site(new_postgres(), new_kafka())
    relay = site.relay().start()
    site.insert()
    site.wait_records(1)
    site.kafka.freeze()
    site.insert(rows=10)
    time.sleep(0.5)
    site.postgres.stop("fast", timeout_s=20)
    site.kafka.thaw()
    site.postgres.start()
    relay.wait_streaming(30)
    site.wait_all_confirmed()
    assert len({record.id for record in site.records()}) == 11


def test_a_terminated_walsender_is_replaced_without_repeats(site):
    relay = site.relay().start()
    for number in range(5):
        site.insert(rows=100)
        site.wait_records((number + 1) * 100)
        before = relay.walsender()
        site.postgres.sql("SELECT pg_terminate_backend(%s)", (before,))
        wait_for(lambda: relay.walsender() not in (None, before), 20, "a new walsender")
    site.insert()
    site.wait_records(501)
    site.wait_all_confirmed()
    assert site.count() == 501


def test_no_server_at_all_is_said_in_one_sentence(site):
    port = free_port()
    relay = site.relay({"database.port": port}).start(wait=False)
    relay.wait_says(str(port))
    assert relay.running(), "a server that is away may come back"
