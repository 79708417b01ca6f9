"""One slot, two programs: a relay beside a running Debezium, and in its place."""
import subprocess
import time

import pytest
from harness import Debezium, ExitCode, wait_for
from harness.debezium import APPLICATION_NAME


@pytest.mark.full
@pytest.mark.limit(240)
def test_beside_a_running_debezium_the_relay_ends_and_never_takes_the_slot(site):
    relay = site.relay()
    debezium = Debezium(relay).start()
    walsender = debezium.walsender()
    started = time.monotonic()
    relay.start(wait=False)
    output = relay.wait_exit(ExitCode.SLOT_HELD, 5)
    assert time.monotonic() - started < 5
    assert APPLICATION_NAME in output and str(walsender) in output and "127.0.0.1" in output
    assert debezium.walsender() == walsender

    relay.start(wait=False)
    time.sleep(0.02)
    debezium.kill9()
    debezium.start(wait=False)
    assert relay.child.wait(10) == ExitCode.SLOT_HELD
    wait_for(debezium.walsender, 60, "Debezium streams again", 0.1)
    site.insert(rows=5)
    site.wait_records(5)
    debezium.stop()


@pytest.mark.full
@pytest.mark.limit(180)
def test_the_slot_is_taken_over_where_debezium_left_it(site):
    relay = site.relay()
    debezium = Debezium(relay).start()
    site.insert(rows=20)
    site.wait_records(20)
    time.sleep(2)  # Debezium confirms with its offsets
    debezium.stop()
    site.insert(rows=10)
    relay.start()
    site.insert(rows=5)
    site.wait_all_confirmed()
    records = site.records()
    assert len({record.id for record in records}) == 35
    assert len({record.id for record in records[-15:]}) == 15
    assert relay.stop() == ExitCode.STOPPED


def test_a_relay_that_may_wait_takes_the_slot_when_it_is_free(site):
    site.sql(f"CREATE PUBLICATION {site.slot}_publication FOR TABLE outbox WITH (publish = 'insert')")
    site.sql("SELECT pg_create_logical_replication_slot(%s, 'pgoutput')", (site.slot,))
    holder = subprocess.Popen(["pg_recvlogical", "-h", "127.0.0.1", "-p", str(site.postgres.port), "-U", "postgres", "-d", site.database, "-S",
                               site.slot, "--start", "-o", "proto_version=1", "-o", f"publication_names={site.slot}_publication", "-f",
                               "/dev/null"])
    try:
        wait_for(lambda: site.postgres.streaming_pid(site.slot), 10, "pg_recvlogical streams")
        relay = site.relay().start(wait=False)
        output = relay.wait_exit(ExitCode.SLOT_HELD, 10)
        assert "pg_recvlogical" in output
        relay.settings["postrider.slot.takeover"] = "wait"
        relay.start(wait=False)
        time.sleep(2)
        assert relay.running()
    finally:
        holder.terminate()
        holder.wait(10)
    wait_for(lambda: site.postgres.streaming_pid(site.slot), 20, "the relay streams")
    site.insert()
    assert len(site.wait_records(1)) == 1
