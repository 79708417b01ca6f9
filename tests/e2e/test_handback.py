"""From Debezium to Postrider and back, under load, with a real Debezium in Connect: nothing is lost, and no snapshot is taken."""
import json
import subprocess
import time

import pytest
from harness import Debezium, ExitCode, wait_for
from harness.outbox import Writer, first_occurrences
from harness.relay import binary, clean_environment, write_properties

WAL_BYTES = 200 * 2**20


def handback(relay, code=ExitCode.STOPPED):
    """Standard output and standard error of the command."""
    write_properties(relay.files[0], relay.settings)
    done = subprocess.run([binary(), "handback", *relay.files], capture_output=True, text=True, env=clean_environment(), timeout=30)
    assert done.returncode == code, done.stderr
    return done.stdout, done.stderr


def tell(debezium, way, body):
    """The ways to let Debezium know where to go on; its connector is stopped."""
    if way == "made anew":
        debezium.make_anew()
    if way != "trust_slot":
        debezium.rest("PATCH", "/offsets", json.loads(body))
    else:
        debezium.rest("PUT", "/config", {key: str(value) for key, value in debezium.settings.items()} | {"offset.mismatch.strategy": "trust_slot"})


def write_wal(postgres):
    """200 MB that do not concern the outbox, in another database."""
    postgres.sql("CREATE DATABASE neighbour")
    connection = postgres.connect("neighbour")
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE filler (data text); ALTER TABLE filler ALTER data SET STORAGE EXTERNAL")
        for _ in range(WAL_BYTES // 2**20):
            cursor.execute("INSERT INTO filler VALUES (repeat('x', 1048576))")
    connection.close()


def restart_position(site):
    return site.postgres.value("SELECT (restart_lsn - '0/0')::bigint FROM pg_replication_slots WHERE slot_name = %s", (site.slot,))


def repeated(site, ids):
    """How many records there are beyond one for each of these ids."""
    return sum(record.id in ids for record in site.records()) - len(ids)


def advance(site, position):
    """As the migration guide says, with Debezium's lsn_commit."""
    site.sql("SELECT pg_replication_slot_advance(slot_name, greatest(confirmed_flush_lsn, %s::pg_lsn)) FROM pg_replication_slots "
             "WHERE slot_name = %s", (f"{position >> 32:X}/{position & 0xFFFFFFFF:X}", site.slot))


@pytest.fixture
def switch(new_site, new_postgres):
    """A site, Debezium that streams its outbox, and a relay of the same configuration."""
    site = new_site(new_postgres())
    relay = site.relay({"name": "outbox"})
    debezium = Debezium(relay).start()
    yield site, debezium, relay
    debezium.kill9()


@pytest.mark.limit(600)
@pytest.mark.parametrize("way", ["offsets", pytest.param("trust_slot", marks=pytest.mark.full)])
def test_there_and_back_under_load(switch, way):
    site, debezium, relay = switch
    writer = Writer(site, transactions_per_s=60, deletes=False).start()
    site.wait_records(300, 60)

    # There.
    began = time.monotonic()
    debezium.stop_connector()
    stored = debezium.offset()["lsn_proc"]
    before = {record.id for record in site.records()}
    relay.start()
    print(f"there: {time.monotonic() - began:.1f} s, {repeated(site, before)} events repeated")
    site.wait_records(site.count() + 300, 60)

    # Debezium's own position is of no use any more.
    write_wal(site.postgres)
    for _ in range(2):
        site.postgres.sql("CHECKPOINT")
    wait_for(lambda: restart_position(site) > stored or site.postgres.sql("CHECKPOINT"), 90, "restart_lsn beyond Debezium's offset", 1)
    _, refusal = handback(relay, ExitCode.SLOT_HELD)
    assert "is being read by" in refusal and "postrider/" in refusal
    began = time.monotonic()
    assert relay.stop() == ExitCode.STOPPED
    before = {record.id for record in site.records()}
    in_topic = site.count()
    debezium.resume_connector(wait=False)
    wait_for(lambda: "no longer available on the server" in json.dumps(debezium.rest("GET", "/status")), 60, "Debezium refuses its offset", 0.1)
    debezium.stop_connector()

    # Back.
    body, advice = handback(relay)
    assert str(relay.settings["postrider.state.file"]) in advice and "trust_slot" in advice
    assert json.loads(relay.settings["postrider.state.file"].read_text())["handed_back"]
    tell(debezium, way, body)
    debezium.resume_connector()
    print(f"back, after an offset that was refused: {time.monotonic() - began:.1f} s")
    site.wait_records(in_topic + 300, 60)
    assert repeated(site, before) == in_topic - len(before), "a clean stop repeats nothing, and no snapshot was taken"

    # And there again: the slot has moved on, and the record knows of it. Brought to Debezium's offset, it repeats no more than was open there.
    debezium.stop_connector()
    before, in_topic = {record.id for record in site.records()}, site.count()
    advance(site, debezium.offset()["lsn_commit"])
    relay.start()
    site.wait_records(in_topic + 100, 60)
    writer.stop()
    site.wait_all_confirmed(90)
    committed, arrived = writer.committed(), first_occurrences(site.records())
    assert arrived == committed, "an id is missing, was never committed, or stands out of order"
    assert repeated(site, before) - (in_topic - len(before)) <= Writer.ROWS_MAX
    assert "gap_accepted" not in relay.output()
    assert not json.loads(relay.settings["postrider.state.file"].read_text()).get("handed_back")
    assert relay.stop() == ExitCode.STOPPED


@pytest.mark.limit(300)
@pytest.mark.full
def test_the_first_row_behind_a_quiet_position_arrives_once(switch):
    """The record that follows the confirmed position is the row's own, which Debezium could take for the last one that it has seen."""
    site, debezium, relay = switch
    for round_number, way in enumerate(("offsets", "trust_slot", "made anew"), 1):
        seen = site.count()
        site.insert(rows=3)
        site.wait_records(seen + 3)
        debezium.stop_connector()
        relay.start()
        site.insert(rows=2)
        site.wait_all_confirmed()
        assert relay.stop() == ExitCode.STOPPED
        body, _ = handback(relay)
        in_topic = site.count()
        tell(debezium, way, body)
        site.insert()
        site.insert(rows=2)
        debezium.resume_connector()
        site.wait_records(in_topic + 3)
        time.sleep(1)
        assert site.count() == in_topic + 3, way
        assert len({record.id for record in site.records()}) == 8 * round_number, way


def test_nothing_is_handed_back_where_there_is_no_slot(site):
    relay = site.relay()
    _, refusal = handback(relay, ExitCode.SLOT)
    assert site.slot in refusal and "is not there" in refusal


def test_a_slot_that_is_gone_after_a_handback_is_no_first_start(site):
    relay = site.relay().start()
    site.insert()
    site.wait_all_confirmed()
    assert relay.stop() == ExitCode.STOPPED
    handback(relay)
    site.postgres.drop_slot(site.slot)
    relay.start(wait=False)
    assert "is gone" in relay.wait_exit(ExitCode.SLOT)
