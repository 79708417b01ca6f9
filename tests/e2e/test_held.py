"""Events that the broker will not take as things are: held, named, nothing passes them, and on they go when the cause is gone."""
import time

from harness import ExitCode, wait_for


def check_held(site, relay, published):
    relay.wait_says("state=held")
    walsender, confirmed = relay.walsender(), site.postgres.confirmed_lsn(site.slot)
    site.insert(key="later")
    time.sleep(3)
    assert relay.running() and relay.walsender() == walsender, "the connection stays open"
    assert site.postgres.confirmed_lsn(site.slot) == confirmed
    assert site.count() == published, "nothing passes a held event"


def test_a_missing_topic(new_site, new_kafka):
    site = new_site(broker=new_kafka({"auto.create.topics.enable": "false"}))
    relay = site.relay().start()
    site.insert(rows=5)
    check_held(site, relay, 0)
    assert site.topic in relay.output()

    site.kafka.create_topic(site.topic)
    site.wait_all_confirmed(timeout_s=30)
    assert site.count() == 6
    assert relay.stop() == ExitCode.STOPPED


def test_a_record_that_is_too_large_for_its_topic(site):
    site.kafka.create_topic(site.topic, config={"max.message.bytes": "20000"})
    relay = site.relay().start()
    site.insert(key="small")
    site.wait_records(1)
    site.insert(key="large", payload_bytes=50_000)
    check_held(site, relay, 1)

    site.kafka.set_topic_config(site.topic, "max.message.bytes", "1000000")
    site.wait_all_confirmed(timeout_s=40)
    records = site.records()
    assert sorted(record.key for record in records) == [b"large", b"later", b"small"]
    assert relay.stop() == ExitCode.STOPPED


def test_a_held_event_is_still_there_after_a_restart(new_site, new_kafka):
    site = new_site(broker=new_kafka({"auto.create.topics.enable": "false"}))
    relay = site.relay().start()
    site.insert()
    relay.wait_says("state=held")
    assert relay.stop() == ExitCode.STOPPED_EARLY
    relay.start()
    site.kafka.create_topic(site.topic)
    site.wait_all_confirmed(timeout_s=30)
    assert site.count() == 1


def test_topics_are_made_where_the_configuration_says_how(new_site, new_kafka):
    site = new_site(broker=new_kafka({"auto.create.topics.enable": "false"}))
    site.relay({"topic.creation.default.partitions": "7", "topic.creation.default.replication.factor": "1"}).start()
    site.insert()
    site.wait_records(1)
    topics = site.kafka.admin.list_topics(timeout=10).topics
    assert len(topics[site.topic].partitions) == 7


def test_a_topic_that_is_deleted_while_it_is_used_comes_back(site):
    relay = site.relay().start()
    site.insert(rows=10)
    site.wait_records(10)
    site.wait_all_confirmed()
    site.kafka.delete_topics([site.topic])
    wait_for(lambda: site.topic not in site.kafka.topics(), 10, "the topic gone")
    site.insert(rows=3)
    site.wait_all_confirmed(timeout_s=60)
    assert relay.running()
