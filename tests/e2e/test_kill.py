"""kill -9 at random moments under load: everything committed arrives, first occurrences in commit order per key."""
import random
import time

import pytest
from harness import ExitCode
from harness.outbox import Writer


def check_everything_arrived(site, writer, relay):
    writer.check_everything_arrived()
    before = site.count()
    assert relay.stop() == ExitCode.STOPPED
    relay.start()
    time.sleep(1)
    assert relay.stop() == ExitCode.STOPPED
    assert site.count() == before, "a restart after a clean stop repeated events"


@pytest.mark.limit(600)
def test_relay_killed_at_random_moments(site, full):
    relay = site.relay({"snapshot.mode": "no_data"}).start()
    writer = Writer(site).start()
    for _ in range(100 if full else 15):
        time.sleep(random.uniform(0.02, 1.2))
        relay.kill9()
        relay.start(wait=False)
    relay.wait_streaming(30)
    check_everything_arrived(site, writer, relay)


@pytest.mark.limit(600)
def test_postgres_killed_at_random_moments(new_site, new_postgres, full):
    site = new_site(postgres=new_postgres())
    relay = site.relay({"snapshot.mode": "no_data"}).start()
    writer = Writer(site).start()
    for _ in range(20 if full else 4):
        time.sleep(random.uniform(0.3, 3))
        site.postgres.kill9()
        time.sleep(random.uniform(0, 1))
        site.postgres.start()
    relay.wait_streaming(30)
    assert relay.runs == 1
    check_everything_arrived(site, writer, relay)


@pytest.mark.limit(900)
def test_broker_killed_at_random_moments(new_site, new_kafka, full):
    site = new_site(broker=new_kafka())
    relay = site.relay({"snapshot.mode": "no_data"}).start()
    writer = Writer(site).start()
    for _ in range(20 if full else 4):
        time.sleep(random.uniform(0.3, 3))
        site.kafka.kill9()
        time.sleep(random.uniform(0, 1))
        site.kafka.start()
    assert relay.runs == 1 and relay.running()
    check_everything_arrived(site, writer, relay)
