"""What cannot be published, and the operator's hands: parked events, held events settled by hand, a paused relay, a row that the server
itself cannot send."""
import json
import time

import pytest
from harness import ExitCode, wait_for
from harness.relay import AS_TEXT

TOPIC_LIMIT = 20_000


def dead_letters(site):
    return {"errors.deadletterqueue.topic.name": f"{site.name}.dead", "errors.deadletterqueue.topic.replication.factor": "1"}


def parked(site):
    return site.kafka.records([f"{site.name}.dead"])


def headers(record):
    return {key: value.decode() for key, value in record.headers}


def limited(site):
    site.kafka.create_topic(site.topic, partitions=1, config={"max.message.bytes": str(TOPIC_LIMIT)})


def held_id(relay, timeout_s=20):
    relay.wait_says("state=held", timeout_s)
    return json.loads(relay.command("held", "list", "--json").stdout)["held"]["id"]


# ---- parking ----------------------------------------------------------------------------------------------------------


def test_an_event_that_is_too_large_is_parked_and_the_rest_goes_on(site):
    limited(site)
    relay = site.relay(AS_TEXT | dead_letters(site)).start()
    site.insert(key="before")
    site.insert(key="large", payload_bytes=50_000)
    site.insert(key="behind")
    site.wait_all_confirmed(timeout_s=40)
    assert [record.key for record in site.records()] == [b"before", b"behind"]
    (letter,) = parked(site)
    assert letter.key == b"large" and len(letter.value) > 50_000
    found = headers(letter)
    assert found["id"] == found["postrider.parked.id"]
    assert found["postrider.parked.code"] == "record_too_large"
    assert found["postrider.parked.attempts"] == "3"
    assert found["postrider.parked.topic"] == found["__connect.errors.topic"] == site.topic
    assert found["__connect.errors.exception.class.name"].endswith("RecordTooLargeException")
    listed = json.loads(relay.command("held", "list", "--json").stdout)
    assert [event["id"] for event in listed["parked"]] == [found["id"]]
    assert len(site.kafka.admin.list_topics(timeout=10).topics[f"{site.name}.dead"].partitions) == 1
    assert relay.stop() == ExitCode.STOPPED
    relay.start()
    site.insert(key="later")
    site.wait_all_confirmed()
    assert len(parked(site)) == 1, "parked once"


def test_a_row_that_has_no_route_is_parked_as_text(site):
    site.sql("ALTER TABLE outbox ALTER aggregatetype DROP NOT NULL")
    relay = site.relay(dead_letters(site)).start()
    site.sql("INSERT INTO outbox (aggregatetype, aggregateid, type, payload) VALUES (NULL, 'lost', 'Placed', '{\"a\": \"\\u0022\"}')")
    site.insert()
    site.wait_all_confirmed(timeout_s=30)
    assert site.count() == 1
    (letter,) = parked(site)
    row = json.loads(letter.value)
    assert row["aggregateid"] == "lost" and row["aggregatetype"] is None and json.loads(row["payload"]) == {"a": '"'}
    assert headers(letter)["postrider.parked.code"] == "unroutable"
    assert relay.stop() == ExitCode.STOPPED


def test_a_dead_letter_that_is_refused_too_goes_without_its_value(site):
    """The row is still in the table, where its payload can be read by the id."""
    limited(site)
    site.kafka.create_topic(f"{site.name}.dead", partitions=1, config={"max.message.bytes": str(TOPIC_LIMIT)})
    relay = site.relay(AS_TEXT | dead_letters(site)).start()
    site.insert(key="large", payload_bytes=50_000)
    site.insert(key="behind")
    site.wait_all_confirmed(timeout_s=40)
    (letter,) = parked(site)
    assert letter.key == b"large" and letter.value is None
    assert headers(letter)["postrider.parked.value"] == "left-out"
    assert site.sql("SELECT count(*) FROM outbox WHERE id = %s", (headers(letter)["id"],)) == [(1,)]
    assert [record.key for record in site.records()] == [b"behind"]
    assert relay.stop() == ExitCode.STOPPED


def test_a_dead_letter_that_is_refused_is_held_where_the_row_is_gone(site):
    limited(site)
    site.kafka.create_topic(f"{site.name}.dead", partitions=1, config={"max.message.bytes": str(TOPIC_LIMIT)})
    relay = site.relay(AS_TEXT | dead_letters(site)).start()
    with site.connect() as connection, connection.cursor() as cursor:
        cursor.execute("INSERT INTO outbox (aggregatetype, aggregateid, type, payload) "
                       "SELECT %s, 'large', 'Placed', jsonb_build_object('pad', repeat('x', 50000))", (site.name,))
        cursor.execute("DELETE FROM outbox")
    connection.close()
    site.insert(key="behind")
    relay.wait_says("no longer in the table")
    assert site.count() == 0 and parked(site) == []
    site.kafka.set_topic_config(f"{site.name}.dead", "max.message.bytes", "1000000")
    site.wait_all_confirmed(timeout_s=40)
    (letter,) = parked(site)
    assert len(letter.value) > 50_000
    assert relay.stop() == ExitCode.STOPPED


def test_later_events_of_the_key_follow_a_parked_one_until_it_is_released(site):
    limited(site)
    relay = site.relay(AS_TEXT | dead_letters(site) | {"postrider.poison.park.same.key": "true"}).start()
    site.insert(key="a", payload_bytes=50_000)
    site.insert(key="a")
    site.insert(key="b")
    site.wait_all_confirmed(timeout_s=40)
    assert [record.key for record in site.records()] == [b"b"]
    first, second = parked(site)
    assert headers(second)["postrider.parked.code"] == "behind_parked"
    assert relay.command("held", "release", headers(first)["id"]).returncode == 0
    site.insert(key="a")
    site.wait_all_confirmed()
    assert [record.key for record in site.records()] == [b"b", b"a"]


@pytest.mark.full
def test_a_topic_that_is_missing_parks_nothing(new_site, new_kafka):
    site = new_site(broker=new_kafka({"auto.create.topics.enable": "false"}))
    relay = site.relay(dead_letters(site)).start()
    site.insert(rows=3)
    relay.wait_says("state=held")
    time.sleep(5)
    assert f"{site.name}.dead" not in site.kafka.topics()
    site.kafka.create_topic(site.topic)
    site.wait_all_confirmed(timeout_s=30)
    assert site.count() == 3
    assert relay.stop() == ExitCode.STOPPED


# ---- by hand ----------------------------------------------------------------------------------------------------------


@pytest.mark.limit(1500)
@pytest.mark.parametrize("rows, held_s", [(20_000, 8), pytest.param(1_000_000, 600, marks=pytest.mark.full)])
def test_an_event_in_the_middle_is_held_and_then_skipped(site, rows, held_s):
    """Nothing is sent twice, and nothing is read again meanwhile."""
    limited(site)
    relay = site.relay(AS_TEXT).start()
    site.sql("INSERT INTO outbox (aggregatetype, aggregateid, type, payload) SELECT %s, n::text, 'Placed', "
             "jsonb_build_object('pad', CASE WHEN n = %s THEN repeat('x', 50000) ELSE '' END) FROM generate_series(1, %s) n",
             (site.name, rows // 2, rows))
    event = held_id(relay, timeout_s=180)
    wait_for(lambda: site.count() == rows // 2 - 1, 120, lambda: f"all before it: {site.count()}")
    walsender, sent = relay.walsender(), site.postgres.sent_lsn(site.slot)
    time.sleep(held_s)
    assert relay.walsender() == walsender, "the connection stays open"
    assert site.postgres.sent_lsn(site.slot) - sent <= 64 * 1024 * 1024, "nothing is streamed again: only buffers fill"
    assert site.count() == rows // 2 - 1
    assert relay.command("held", "skip", "another-id", "--yes").returncode == 1
    assert relay.command("held", "skip", event).returncode == ExitCode.CONFIGURATION, "not without --yes"
    assert relay.command("held", "skip", event, "--yes").returncode == 0
    site.wait_all_confirmed(timeout_s=180)
    assert site.count() == rows - 1, "no duplicate, and one left out"
    assert event in relay.output()
    assert relay.stop() == ExitCode.STOPPED


def test_a_held_event_is_parked_by_hand(site):
    limited(site)
    relay = site.relay(AS_TEXT | dead_letters(site) | {"postrider.poison.policy": "hold"}).start()
    site.insert(key="large", payload_bytes=50_000)
    site.insert(key="behind")
    event = held_id(relay)
    shown = relay.command("held", "show", event)
    assert shown.returncode == 0 and "record_too_large" in shown.stdout and "xxxx" not in shown.stdout
    assert relay.command("held", "park", event).returncode == 0
    site.wait_all_confirmed(timeout_s=30)
    assert len(parked(site)) == 1 and [record.key for record in site.records()] == [b"behind"]
    assert relay.stop() == ExitCode.STOPPED


def test_a_retry_by_hand_does_not_wait_for_the_backoff(site):
    limited(site)
    relay = site.relay(AS_TEXT).start()
    site.insert(key="large", payload_bytes=50_000)
    held_id(relay)
    time.sleep(8)
    site.kafka.set_topic_config(site.topic, "max.message.bytes", "1000000")
    time.sleep(1)
    assert relay.command("held", "retry").returncode == 0
    site.wait_records(1, timeout_s=3)


def test_a_paused_relay_keeps_its_slot_and_goes_on(site):
    site.sql(f"ALTER DATABASE {site.database} SET wal_sender_timeout = '3s'")
    relay = site.relay().start()
    site.insert()
    site.wait_all_confirmed()
    assert "state paused" in relay.command("pause").stdout
    walsender = relay.walsender()
    site.insert(rows=10)
    time.sleep(6)
    assert site.count() == 1 and relay.walsender() == walsender
    assert relay.command("resume").returncode == 0
    site.wait_all_confirmed()
    assert site.count() == 11
    assert relay.stop() == ExitCode.STOPPED


def test_without_a_relay_the_commands_say_so(site):
    relay = site.relay().start()
    relay.stop()
    answer = relay.command("held", "list")
    assert answer.returncode == 1 and "no relay listens" in answer.stderr


# ---- a row that the server cannot send ----------------------------------------------------------------------------------


def test_bytes_that_are_no_text_are_held_with_the_sql_that_goes_over_them(new_site):
    """A SQL_ASCII database takes any bytes, and its server cannot turn them into UTF-8: the walsender fails at that row again and again."""
    site = new_site(encoding="SQL_ASCII")
    site.sql("ALTER TABLE outbox ALTER payload TYPE text USING payload::text")
    relay = site.relay(AS_TEXT | {"snapshot.mode": "no_data"}).start()
    site.insert(key="before")
    site.wait_records(1)
    connection = site.connect()
    connection.set_client_encoding("SQL_ASCII")
    with connection, connection.cursor() as cursor:
        cursor.execute(b"INSERT INTO outbox (aggregatetype, aggregateid, type, payload) VALUES ('" + site.name.encode() +
                       b"', 'poison', 'Placed', '\xff\xfe')")
    connection.close()
    site.insert(key="behind")
    relay.wait_says("code=unsendable_row", timeout_s=30)
    report = json.loads(relay.command("held", "list", "--json").stdout)
    assert report["state"] == "held"
    assert "22021" in report["unsendable"]["reason"] and "transaction that commits at" in report["unsendable"]["loses"]
    assert relay.running() and site.count() == 1
    relay.stop()
    site.sql(report["unsendable"]["advance_sql"])
    relay.start(options=["--accept-gap"])
    site.wait_all_confirmed()
    assert sorted(record.key for record in site.records()) == [b"before", b"behind"]
    assert relay.stop() == ExitCode.STOPPED
