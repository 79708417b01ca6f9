"""Heartbeats: the records are Debezium's, the query runs, and neither touches the rows."""
import re
import time

import pytest
from harness import Debezium, ExitCode, wait_for

JSON = "org.apache.kafka.connect.json.JsonConverter"
STRING = "org.apache.kafka.connect.storage.StringConverter"
BINARY = "io.debezium.converters.BinaryDataConverter"

# What follows the prefix -> converters, for one connector each.
CONVERTERS = {
    "text": {"key.converter": STRING, "value.converter": STRING},
    "json": {"key.converter": JSON, "value.converter": JSON},
    "plain": {"key.converter": JSON, "key.converter.schemas.enable": "false", "value.converter": JSON, "value.converter.schemas.enable": "false"},
    "bytes": {"key.converter": STRING, "value.converter": BINARY, "value.converter.delegate.converter.type": JSON,
              "value.converter.delegate.converter.type.schemas.enable": "false"},
    # Nothing of these shows in a heartbeat.
    "strict": {"value.converter": JSON, "transforms.outbox.table.op.invalid.behavior": "error", "extended.headers.enabled": "true"},
}


def settings(site, name="beat", **more):
    return {"topic.prefix": f"{site.name}.{name}", "heartbeat.interval.ms": "1000"} | more


def topic(site, name="beat", prefix="__debezium-heartbeat"):
    return f"{prefix}.{site.name}.{name}"


def beats(site, name="beat"):
    return site.kafka.records([topic(site, name)])


def wait_beats(site, number, name="beat", timeout_s=30):
    wait_for(lambda: site.kafka.count([topic(site, name)]) >= number, timeout_s, lambda: f"{number} heartbeats of {name}\n{site.tails()}", 0.1)
    return beats(site, name)


def time_of(record):
    return int(re.search(rb"\d{13}", record.value)[0])


def form_of(record):
    """All but the time."""
    return record.topic, record.partition, record.key, re.sub(rb"\d{13}", b"<ms>", record.value), record.headers


@pytest.mark.full
@pytest.mark.limit(300)
def test_records_are_debeziums(site):
    def relay_of(name):
        relay = site.relay(settings(site, name) | CONVERTERS[name] | {"slot.name": f"{site.slot}_{name}", "publication.name": f"{site.slot}_{name}"})
        relay.slot = relay.settings["slot.name"]
        return relay

    connectors = [Debezium(relay_of(name)) for name in CONVERTERS]
    worker = connectors[0]
    worker.files += [connector.files[1] for connector in connectors[1:]]  # one worker for all
    for number, connector in enumerate(connectors):
        text = connector.files[1].read_text()
        connector.files[1].write_text(text.replace("name=outbox\n", f"name=outbox{number}\n"))
    worker.start(wait=False)
    theirs = {name: wait_beats(site, 3, name, 180) for name in CONVERTERS}
    worker.kill9()
    for name, records in theirs.items():
        site.kafka.delete_topics([records[0].topic])
        slot = f"{site.slot}_{name}"
        wait_for(lambda slot=slot: not site.postgres.streaming_pid(slot), 20, f"{slot} free", 0.1)
        site.postgres.drop_slot(slot)

    for name in CONVERTERS:
        relay, started = relay_of(name), time.time()
        relay.start()
        ours = wait_beats(site, 3, name)
        assert relay.stop() == ExitCode.STOPPED
        site.postgres.drop_slot(relay.slot)
        assert {form_of(record) for record in ours} == {form_of(record) for record in theirs[name]}
        for record in ours:
            assert started * 1000 - 1 <= time_of(record) <= record.timestamp_ms <= time_of(record) + 1000


def test_one_an_interval_on_an_idle_outbox_and_silence_after_the_end(site):
    relay = site.relay(settings(site)).start()
    records = wait_beats(site, 6)[1:]  # the first one waits for its topic
    gaps = [time_of(after) - time_of(before) for before, after in zip(records, records[1:])]
    assert all(900 <= gap <= 2500 for gap in gaps), gaps
    assert relay.stop() == ExitCode.STOPPED
    ended = site.kafka.count([topic(site)])
    time.sleep(2)
    assert site.kafka.count([topic(site)]) == ended


def test_off_by_default(site):
    relay = site.relay({"topic.prefix": f"{site.name}.beat"}).start()
    site.insert()
    site.wait_records(1)
    time.sleep(2)
    assert relay.stop() == ExitCode.STOPPED
    assert topic(site) not in site.kafka.admin.list_topics(timeout=20).topics


def test_the_topic_is_made_by_the_rules_for_topics(site):
    relay = site.relay(settings(site) | {
        "topic.heartbeat.prefix": "beats", "topic.creation.default.partitions": "3", "topic.creation.default.replication.factor": "1",
        "topic.creation.groups": "beats", "topic.creation.beats.include": "beats\\..*", "topic.creation.beats.partitions": "2"}).start()
    made = topic(site, prefix="beats")
    wait_for(lambda: site.kafka.count([made]) >= 1, 20, lambda: f"a heartbeat\n{site.tails()}", 0.1)
    assert len(site.kafka.admin.list_topics(timeout=20).topics[made].partitions) == 2
    assert relay.stop() == ExitCode.STOPPED


def test_the_query_runs_at_each_interval_and_what_it_inserts_is_published(site):
    site.sql("CREATE TABLE runs (at timestamptz)")
    query = (f"INSERT INTO outbox (aggregatetype, aggregateid, type, payload) VALUES ('{site.name}', 'beat', 'Beat', '{{}}'); "
             "INSERT INTO runs VALUES (now())")
    relay = site.relay(settings(site) | {"heartbeat.action.query": query}).start()
    records = site.wait_records(3)
    assert all(record.key == b"beat" for record in records)
    assert relay.stop() == ExitCode.STOPPED
    assert site.sql("SELECT count(*) FROM runs")[0][0] == site.rows() >= 3
    sessions = "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE %s"
    wait_for(lambda: site.postgres.value(sessions, (f"postrider/{site.slot}%",)) == 0, 10, "no session is left")


@pytest.mark.parametrize("query", ["SELECT 1 / 0", pytest.param("UPDATE nowhere SET n = 1", marks=pytest.mark.full),
                                   pytest.param("no SQL", marks=pytest.mark.full)])
def test_a_query_that_fails_is_a_warning_and_all_goes_on(site, query):
    relay = site.relay(settings(site) | {"heartbeat.action.query": query}).start()
    relay.wait_says("heartbeat_action_failed")
    wait_beats(site, 4)
    site.insert(rows=10)
    site.wait_records(10)
    site.wait_all_confirmed()
    assert relay.output().count("heartbeat_action_failed") == 1, "repeats are filtered"
    assert relay.stop() == ExitCode.STOPPED


def test_a_query_that_waits_for_a_lock_holds_nothing_up(site):
    site.sql("CREATE TABLE beat (n int)")
    relay = site.relay(settings(site) | {"heartbeat.action.query": "INSERT INTO beat VALUES (1)"}).start()
    blocker = site.connect()
    blocker.autocommit = False
    blocker.cursor().execute("LOCK TABLE beat")
    wait_for(lambda: site.sql("SELECT true FROM pg_locks WHERE relation = 'beat'::regclass AND NOT granted"), 10, "the query waits")
    site.sql("ALTER TABLE outbox ADD COLUMN note text")  # the relay reads the catalogue anew
    site.insert(rows=10)
    site.wait_records(10)
    site.wait_all_confirmed()
    relay.wait_says("heartbeat_action_slow")
    assert relay.stop() == ExitCode.STOPPED
    blocker.close()


@pytest.mark.parametrize("event, refusal", [
    ("heartbeat_left_out", {"max.message.bytes": "20"}),  # seen before anything is sent
    ("heartbeat_failed", {"message.timestamp.before.max.ms": "0"}),  # the broker refuses it, and that ends the producer
])
def test_a_topic_that_refuses_heartbeats_holds_no_row(site, event, refusal):
    site.kafka.create_topic(topic(site, prefix="beats"), 1, refusal)
    relay = site.relay(settings(site) | {"topic.heartbeat.prefix": "beats"}).start()
    relay.wait_says(event)
    for _ in range(5):
        site.insert(rows=20)
        time.sleep(0.5)
    site.wait_records(100)
    site.wait_all_confirmed()
    assert relay.stop() == ExitCode.STOPPED
    records = site.records()
    assert len(records) == len({record.id for record in records}) == 100


def test_stops_and_starts_repeat_no_row(site):
    relay = site.relay(settings(site, **{"heartbeat.interval.ms": "5"}))
    for _ in range(5):
        relay.start()
        site.insert_transactions(40)
        site.wait_all_confirmed()
        assert relay.stop() == ExitCode.STOPPED
    records = site.records()
    assert len(records) == len({record.id for record in records}) == 200
    assert site.kafka.count([topic(site)]) > 20
