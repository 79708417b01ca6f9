"""The oldest Kafka that is supported, and three brokers that come and go: every event arrives, in order, and nothing is confirmed too soon."""
import time

import pytest
from confluent_kafka import Producer
from harness import ExitCode, wait_for
from harness.kafka import OLDEST
from harness.outbox import Writer

SETTINGS = {"snapshot.mode": "no_data"}


def check_nothing_repeated_nor_failed(site, relay):
    """After the load: this one process has never failed, and a clean end leaves nothing to repeat."""
    assert relay.runs == 1 and " failed " not in relay.output(), relay.output()
    records = site.count()
    assert relay.stop() == ExitCode.STOPPED
    relay.start()
    time.sleep(1)
    assert relay.stop() == ExitCode.STOPPED
    assert site.count() == records


def refusal(cluster, topic):
    """What a broker answers to a record: the name of the error."""
    answers = []
    producer = Producer({"bootstrap.servers": cluster.bootstrap, "acks": "all", "retries": 0, "log_level": 0})
    producer.produce(topic, b"refused", on_delivery=lambda error, _message: answers.append(error and error.name()))
    producer.flush(10)
    return answers[0]


@pytest.mark.limit(240)
def test_kafka_3_9(new_site, new_kafka, full):
    """Topics made by their rules, ids, headers and order; and a broker that is killed."""
    site = new_site(broker=new_kafka({"auto.create.topics.enable": "false"}, release=OLDEST))
    relay = site.relay(SETTINGS | {"topic.creation.default.partitions": "3", "topic.creation.default.replication.factor": "-1",
                                   "topic.creation.default.retention.ms": "86400000"}).start()
    writer = Writer(site).start()
    for _ in range(10 if full else 2):
        wanted = site.count() + 200
        wait_for(lambda: site.count() >= wanted, 60, site.tails)
        site.kafka.kill9()
        site.kafka.start()
    writer.check_everything_arrived()
    assert len(site.kafka.admin.list_topics(site.topic, timeout=20).topics[site.topic].partitions) == 3
    assert site.kafka.topic_config(site.topic, "retention.ms") == "86400000"
    assert all([name for name, _ in record.headers] == ["id"] for record in site.records())
    check_nothing_repeated_nor_failed(site, relay)


@pytest.mark.full
@pytest.mark.limit(900)
def test_three_brokers_restarted_one_by_one_and_a_leader_killed(new_site, cluster):
    """As an upgrade goes: each node stopped cleanly and started, the next when all replicas are in sync again. Then the leaders fall."""
    site = new_site(broker=cluster)
    relay = site.relay(SETTINGS).start()
    writer = Writer(site, transactions_per_s=60).start()
    wait_for(lambda: site.count() > 500, 60, site.tails)
    for node in cluster.nodes:
        node.stop()
        written = site.count()
        wait_for(lambda: site.count() > written + 200, 60, lambda: f"events go on with two nodes\n{site.tails()}")
        node.start()
        cluster.wait_in_sync()
    for partition in range(2):
        leader = cluster.leader(site.topic, partition)
        leader.kill9()
        written = site.count()
        wait_for(lambda: site.count() > written + 200, 60, lambda: f"events go on with two nodes\n{site.tails()}")
        leader.start()
        cluster.wait_in_sync()
    repeated = writer.check_everything_arrived(at_least=2000)
    print(f"{site.count()} records, {repeated} of them repeated")
    check_nothing_repeated_nor_failed(site, relay)


@pytest.mark.full
@pytest.mark.limit(300)
@pytest.mark.parametrize("how", ["stop", "kill9"])
def test_two_of_three_brokers_away(new_site, cluster, how):
    """The one that is left has fewer replicas than min.insync.replicas (or waits for one that is gone): what it cannot promise is not confirmed."""
    site = new_site(broker=cluster)
    cluster.create_topic(site.topic)
    relay = site.relay(SETTINGS).start()
    site.insert(rows=20, key="before")
    site.wait_records(20)
    site.wait_all_confirmed()
    site.wait_confirmed()
    away = cluster.nodes[1:]
    for node in away:
        getattr(node, how)()
    confirmed = site.postgres.confirmed_lsn(site.slot)
    for number in range(20):
        site.insert(rows=50, key=f"during{number}")
    written = site.postgres.value("SELECT pg_current_wal_lsn()::text")
    time.sleep(20)
    assert how == "kill9" or refusal(cluster, site.topic) == "NOT_ENOUGH_REPLICAS"
    assert site.postgres.value("SELECT %s::pg_lsn <= confirmed_flush_lsn AND confirmed_flush_lsn < %s::pg_lsn FROM pg_replication_slots "
                               "WHERE slot_name = %s", (confirmed, written, site.slot)), "confirmed without enough replicas"
    assert relay.running() and relay.walsender(), site.tails()
    for node in away:
        node.launch()
    for node in away:
        node.wait_answers()
    site.wait_all_confirmed(120)
    site.wait_confirmed()
    records = site.records()
    assert len({record.id for record in records}) == 20 + 20 * 50
    print(f"{how}: {len(records) - 1020} repeated; the relay said\n{relay.output()}")
    check_nothing_repeated_nor_failed(site, relay)
