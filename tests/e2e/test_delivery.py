"""The main job: what is committed arrives, once, in order, soon; what is not, never does."""
import json
import signal
import time

import pytest
from harness import ExitCode, wait_for
from harness.consume import Listener
from harness.postgres import VERSIONS

GATE_VERSIONS = (13, 15, 17, 18)


@pytest.fixture(params=[pytest.param(version, marks=() if version in GATE_VERSIONS else pytest.mark.full) for version in VERSIONS])
def any_site(request, new_site, servers):
    return new_site(servers(request.param))


def test_inserts_deletes_and_rollbacks(any_site):
    site = any_site
    relay = site.relay().start()
    site.insert(key="plain")
    connection = site.connect()
    connection.autocommit = False
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO outbox (aggregatetype, aggregateid, type, payload) VALUES (%s, 'deleted', 'Placed', '{}')", (site.name,))
        cursor.execute("DELETE FROM outbox WHERE aggregateid = 'deleted'")
        connection.commit()
        cursor.execute("INSERT INTO outbox (aggregatetype, aggregateid, type, payload) VALUES (%s, 'rolled back', 'Placed', '{}')", (site.name,))
        connection.rollback()
    connection.close()
    site.insert(key="last")

    records = site.wait_records(3)
    assert sorted(record.key.decode() for record in records) == ["deleted", "last", "plain"]
    assert all(set(json.loads(record.value)) == {"schema", "payload"} for record in records)
    site.wait_confirmed(timeout_s=2)
    assert relay.stop() == ExitCode.STOPPED
    assert site.count() == 3


def test_a_clean_stop_and_a_restart_repeat_nothing(site):
    relay = site.relay().start()
    for number in range(5):
        site.insert(rows=200)
        site.wait_records((number + 1) * 200)
        assert relay.stop() == ExitCode.STOPPED
        relay.start()
    site.insert(key="end")
    site.wait_records(1001)
    site.wait_all_confirmed()
    assert relay.stop() == ExitCode.STOPPED
    assert site.count() == 1001


def test_what_is_written_while_the_relay_is_away_arrives_at_its_return(site):
    relay = site.relay().start()
    relay.stop()
    site.insert(rows=500)
    relay.start()
    assert len({record.id for record in site.wait_records(500)}) == 500


def test_commit_to_consumer_takes_milliseconds(site):
    site.relay({"snapshot.mode": "no_data"}).start()
    site.insert()
    site.wait_records(1)  # the topic is there, the producer is warm
    listener, waits_ms = Listener(site.kafka.bootstrap, site.topic), []
    for _ in range(50):
        site.insert()
        committed = time.time()
        _message, arrived = listener.next(5)
        waits_ms.append((arrived - committed) * 1000)
        time.sleep(0.01)
    listener.close()
    assert sorted(waits_ms)[25] < 20, sorted(waits_ms)


def test_from_start_to_stream_in_50_ms(site):
    relay = site.relay({"snapshot.mode": "no_data"}).start()
    relay.stop()
    times = []
    while len(times) < 25 and min(times, default=1) >= 0.050:  # the best of some: other work on the machine only adds to it
        relay.start()
        times.append(relay.seconds_to_stream_command())
        relay.stop()
    assert min(times) < 0.050, times


def test_sigterm_drains_confirms_and_leaves(site):
    relay = site.relay({"snapshot.mode": "no_data"}).start()
    site.insert_transactions(5000)
    started = time.monotonic()
    assert relay.stop() == ExitCode.STOPPED
    assert time.monotonic() - started < 8
    published = site.count()
    relay.start()
    site.wait_all_confirmed()
    records = site.records()
    assert len(records) == len({record.id for record in records}) == 5000, f"{published} were published before the stop"


def test_sigterm_while_the_broker_is_frozen_leaves_within_8_s(new_site, new_kafka):
    site = new_site(broker=new_kafka())
    relay = site.relay().start()
    site.insert()
    site.wait_records(1)
    site.kafka.freeze()
    site.insert(rows=10)
    time.sleep(0.5)
    started = time.monotonic()
    assert relay.stop() == ExitCode.STOPPED_EARLY
    assert time.monotonic() - started < 8
    site.kafka.thaw()
    relay.start()
    site.wait_all_confirmed()
    assert len({record.id for record in site.records()}) == 11


def test_a_second_sigterm_leaves_at_once(new_site, new_kafka):
    site = new_site(broker=new_kafka())
    relay = site.relay().start()
    site.insert()
    site.wait_records(1)
    site.kafka.freeze()
    site.insert(rows=10)
    time.sleep(0.5)
    relay.child.signal(signal.SIGTERM)
    time.sleep(0.5)
    started = time.monotonic()
    assert relay.stop() == ExitCode.STOPPED_EARLY
    assert time.monotonic() - started < 1
    site.kafka.thaw()


@pytest.mark.limit(300)
def test_a_transaction_of_a_million_rows_in_150_mb(site):
    relay = site.relay({"snapshot.mode": "no_data"}).start()
    site.insert(rows=1_000_000, payload_bytes=50)
    wait_for(lambda: site.count() >= 1_000_000, 200, site.tails, 0.5)
    assert relay.peak_mb() < 150
    site.wait_all_confirmed()
    assert relay.peak_mb() < 150
    assert relay.stop() == ExitCode.STOPPED
    assert site.count() == 1_000_000
