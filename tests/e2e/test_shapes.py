"""What databases do with an outbox beside plain inserts: encodings, partitions, ALTER TABLE in mid-stream, prepared transactions, types
and names. Each asserts ids, bytes and lag."""
import json
import uuid

import pytest
from harness import ExitCode, wait_for
from harness.postgres import VERSIONS
from harness.relay import AS_TEXT

SETTINGS = AS_TEXT | {"snapshot.mode": "no_data"}
GATE_VERSIONS = (13, 18)

every_version = pytest.mark.parametrize(
    "version", [pytest.param(version, marks=() if version in GATE_VERSIONS else pytest.mark.full) for version in VERSIONS])


class Writing:
    """Rows with known ids and values, in the order in which they are to be published."""

    def __init__(self, site, table="outbox", columns=("id", "aggregatetype", "aggregateid", "type", "payload"), topic=None):
        self.site, self.table, self.columns, self.topic, self.expected = site, table, columns, topic or site.name, []

    def row(self, payload, table=None, published=True, cursor=None, value=None):
        event = str(uuid.uuid4())
        statement = f"INSERT INTO {table or self.table} ({', '.join(self.columns)}) VALUES (%s, %s, 'k', 'Placed', %s)"
        (cursor.execute if cursor else self.site.sql)(statement, (event, self.topic, payload))
        if published:
            self.expected.append((event, payload.encode() if value is None else value))
        return event

    def check(self, relay):
        """All that was written and nothing else, once, in order, byte for byte; no lag; a clean end."""
        self.site.wait_records(len(self.expected))
        self.site.wait_all_confirmed()
        self.site.wait_confirmed()
        assert [(record.id, record.value) for record in self.site.records()] == self.expected
        assert {record.key for record in self.site.records()} == {b"k"}
        assert relay.stop() == ExitCode.STOPPED
        assert self.site.count() == len(self.expected)


def text_payload(site, table="outbox"):
    site.sql(f"ALTER TABLE {table} ALTER payload TYPE text USING payload::text")


# ---- encodings --------------------------------------------------------------------------------------------------------


@every_version
def test_a_latin1_database(new_site, servers, version):
    """The server converts values, and the names in its messages too."""
    site = new_site(servers(version), encoding="LATIN1")
    text_payload(site)
    site.sql('ALTER TABLE outbox ADD "größe" text DEFAULT \'½ Öl\'')
    relay = site.relay(SETTINGS | {"transforms.outbox.table.fields.additional.placement": "größe:header"}).start()
    writing = Writing(site)
    writing.row("Grüße, ÿ, ½")
    writing.row("plain")
    writing.row("".join(chr(code) for code in range(0xA0, 0x100)))
    writing.check(relay)
    assert {dict(record.headers)["größe"] for record in site.records()} == {"½ Öl".encode()}


@every_version
def test_a_sql_ascii_database(new_site, servers, version):
    """The server sees only bytes; these are valid UTF-8."""
    site = new_site(servers(version), encoding="SQL_ASCII")
    text_payload(site)
    relay, writing = site.relay(SETTINGS).start(), Writing(site)
    writing.row("plain")
    writing.row("Grüße, 雪, 🚂")
    writing.check(relay)


# ---- partitions -------------------------------------------------------------------------------------------------------

PARTITIONED = """
    DROP TABLE outbox;
    CREATE TABLE outbox (id uuid, aggregatetype text, aggregateid text, type text, payload text, day int) PARTITION BY LIST (day);
    CREATE TABLE outbox_1 PARTITION OF outbox FOR VALUES IN (1);
    CREATE TABLE outbox_2 (payload text, day int, type text, aggregateid text, id uuid, aggregatetype text);
    ALTER TABLE outbox ATTACH PARTITION outbox_2 FOR VALUES IN (2)"""


@every_version
@pytest.mark.parametrize("root", ["true", "false"])
def test_a_partitioned_outbox(new_site, servers, version, root):
    """One of the partitions has its columns in another order, and one is attached while the stream goes on."""
    site = new_site(servers(version))
    site.sql(PARTITIONED)
    site.sql(f"CREATE PUBLICATION {site.slot}_publication FOR TABLE outbox WITH (publish = 'insert', publish_via_partition_root = {root})")
    relay = site.relay(SETTINGS | {"table.include.list": "public.outbox.*"}).start()
    writing = Writing(site, columns=("id", "aggregatetype", "aggregateid", "type", "payload", "day"))

    def row(payload, day):
        event = str(uuid.uuid4())
        site.sql("INSERT INTO outbox VALUES (%s, %s, 'k', 'Placed', %s, %s)", (event, site.name, payload, day))
        writing.expected.append((event, payload.encode()))
    row("first", 1)
    row("second", 2)
    site.sql("CREATE TABLE outbox_3 PARTITION OF outbox FOR VALUES IN (3)")
    row("third", 3)
    row("again", 1)
    writing.check(relay)


# ---- ALTER TABLE in mid-stream ----------------------------------------------------------------------------------------


@every_version
def test_columns_are_added_dropped_renamed_and_changed(new_site, servers, version):
    """In one go, with rows between that are read after all of it: each row is published as it was when it was written."""
    site = new_site(servers(version))
    relay, writing = site.relay(SETTINGS).start(), Writing(site)
    writing.row('{"n": 1}')
    site.wait_records(1)
    relay.child.freeze()  # so that the catalogue is ahead of what is read
    site.sql("ALTER TABLE outbox ADD extra text DEFAULT 'x', ADD aside int")
    writing.row('{"n": 2}')
    site.sql("ALTER TABLE outbox DROP published_at, DROP aside")
    writing.row('{"n": 3}')
    site.sql("ALTER TABLE outbox RENAME extra TO more")
    writing.row('{"n": 4}')
    text_payload(site)
    writing.row('no JSON')
    site.sql("ALTER TABLE outbox ALTER aggregateid TYPE text, ALTER type TYPE varchar(20), REPLICA IDENTITY FULL")
    writing.row('five')
    relay.child.thaw()
    writing.check(relay)


def test_a_table_that_is_renamed_and_renamed_back(site):
    """Under another name it is another table, which table.include.list leaves out; under its own it goes on."""
    relay, writing = site.relay(SETTINGS).start(), Writing(site)
    writing.row('{"n": 1}')
    site.sql("ALTER TABLE outbox RENAME TO outbox_old")
    writing.row('{"n": 2}', table="outbox_old", published=False)
    site.sql("ALTER TABLE outbox_old RENAME TO outbox")
    writing.row('{"n": 3}')
    writing.check(relay)


def test_a_column_that_the_router_needs_is_renamed(site):
    """The relay ends with one sentence and confirms nothing beyond; told the new name, it goes on where it stood."""
    relay, writing = site.relay(SETTINGS).start(), Writing(site)
    writing.row('{"n": 1}')
    site.wait_records(1)
    site.sql("ALTER TABLE outbox RENAME payload TO body")
    writing.columns = (*writing.columns[:-1], "body")
    writing.row('{"n": 2}')
    assert "table.field.event.payload" in relay.wait_exit(ExitCode.CONFIGURATION, 20)
    assert site.count() == 1
    relay.settings["transforms.outbox.table.field.event.payload"] = "body"
    relay.start()
    writing.row('{"n": 3}')
    writing.check(relay)


# ---- transactions and messages ----------------------------------------------------------------------------------------


@every_version
def test_prepared_transactions(new_site, servers, version):
    """Published when COMMIT PREPARED says so, in that order, also by another process than the one that read PREPARE; never after ROLLBACK PREPARED."""
    site = new_site(servers(version))
    relay, writing = site.relay(SETTINGS).start(), Writing(site)
    connection = site.connect()
    cursor = connection.cursor()

    def prepare(name, payload):
        cursor.execute("BEGIN")
        event = writing.row(payload, cursor=cursor, published=False)
        cursor.execute(f"PREPARE TRANSACTION '{site.name} {name}'")
        return event, payload.encode()
    late = prepare("yes", '{"prepared": true}')
    prepare("no", '{"prepared": false}')
    over = prepare("over a restart", '{"prepared": "before"}')
    writing.row('{"between": true}')
    cursor.execute(f"COMMIT PREPARED '{site.name} yes'")
    writing.expected.append(late)
    cursor.execute(f"ROLLBACK PREPARED '{site.name} no'")
    site.wait_records(2)
    site.wait_all_confirmed()
    relay.kill9()
    cursor.execute(f"COMMIT PREPARED '{site.name} over a restart'")
    writing.expected.append(over)
    relay.start()
    writing.row('{"after": true}')
    connection.close()
    writing.check(relay)


@every_version
def test_rows_that_came_from_another_origin(new_site, servers, version):
    """A subscription or a replication tool wrote them: the stream then has an Origin message, and they are published as any others."""
    site = new_site(servers(version))
    relay, writing = site.relay(SETTINGS).start(), Writing(site)
    connection = site.connect()
    cursor = connection.cursor()
    cursor.execute("SELECT pg_replication_origin_create(%s)", (site.name,))
    cursor.execute("SELECT pg_replication_origin_session_setup(%s)", (site.name,))
    for number in range(3):
        cursor.execute(f"BEGIN; SELECT pg_replication_origin_xact_setup('0/{1234 + number}', now())")
        writing.row(json.dumps({"origin": number}), cursor=cursor)
        cursor.execute("COMMIT")
        writing.row(json.dumps({"own": number}))
    cursor.execute("SELECT pg_replication_origin_session_reset()")
    cursor.execute("SELECT pg_replication_origin_drop(%s)", (site.name,))
    connection.close()
    writing.check(relay)


@every_version
def test_logical_messages(new_site, servers, version):
    """pg_logical_emit_message, inside and outside of transactions, before, between and behind rows: passed over, and the slot moves on past them."""
    site = new_site(servers(version))
    relay, writing = site.relay(SETTINGS).start(), Writing(site)
    connection = site.connect()
    cursor = connection.cursor()
    cursor.execute("SELECT pg_logical_emit_message(false, 'outbox', repeat('x', 100000))")
    cursor.execute("BEGIN; SELECT pg_logical_emit_message(true, 'outbox', 'before')")
    writing.row('{"message": true}', cursor=cursor)
    cursor.execute("SELECT pg_logical_emit_message(true, '', repeat('x', 1000000))")
    writing.row('{"message": "between"}', cursor=cursor)
    cursor.execute("SELECT pg_logical_emit_message(false, 'outbox', 'at once'); COMMIT")
    cursor.execute("SELECT pg_logical_emit_message(true, 'outbox', 'alone')")
    connection.close()
    writing.check(relay)


@every_version
def test_truncate(new_site, servers, version):
    """Rows that are gone before anybody could read them from the table; with a publication that publishes TRUNCATE, and all else, too."""
    site = new_site(servers(version))
    site.sql(f"CREATE PUBLICATION {site.slot}_publication FOR TABLE outbox")
    relay, writing = site.relay(SETTINGS).start(), Writing(site)
    connection = site.connect()
    cursor = connection.cursor()
    cursor.execute("BEGIN; TRUNCATE outbox")
    writing.row('{"truncated": "before"}', cursor=cursor)
    cursor.execute("TRUNCATE outbox; COMMIT; TRUNCATE outbox RESTART IDENTITY CASCADE")
    writing.row('{"truncated": "after"}')
    cursor.execute("TRUNCATE outbox, ledger")
    connection.close()
    writing.check(relay)


# ---- types and names --------------------------------------------------------------------------------------------------


@every_version
def test_domains_and_enums(new_site, servers, version):
    site = new_site(servers(version))
    site.sql(f"""
        CREATE DOMAIN event_id AS uuid CHECK (value IS NOT NULL);
        CREATE DOMAIN name AS varchar(100);
        CREATE DOMAIN inner_document AS jsonb;
        CREATE DOMAIN document AS inner_document;
        CREATE TYPE kind AS ENUM ('{site.name}', 'other');
        CREATE TYPE happening AS ENUM ('Placed', 'Paid');
        DROP TABLE outbox;
        CREATE TABLE outbox (id event_id PRIMARY KEY, aggregatetype kind, aggregateid public.name, type happening, payload document)""")
    relay, writing = site.relay(SETTINGS).start(), Writing(site)
    writing.row('{"n":1}', value=b'{"n": 1}')
    site.sql("ALTER TYPE happening ADD VALUE 'Sent'")
    writing.row('[1, "é"]')
    writing.check(relay)


ODD_SCHEMA, ODD_TABLE, ODD_PUBLICATION = 'Ünser.Sch"ema', 'Out.box "Ö" x', 'Pub.li"k Ä'
ODD_COLUMNS = {"id": 'I.d', "aggregatetype": 'Topic "T"', "aggregateid": "Schlüssel", "type": "WHAT", "payload": "pay load"}


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


@every_version
def test_names_with_dots_quotes_capitals_and_other_letters(new_site, servers, version):
    site = new_site(servers(version))
    table = f"{quoted(ODD_SCHEMA)}.{quoted(ODD_TABLE)}"
    names = [quoted(name) for name in ODD_COLUMNS.values()]
    site.sql(f"CREATE SCHEMA {quoted(ODD_SCHEMA)}")
    site.sql(f"CREATE TABLE {table} ({names[0]} uuid PRIMARY KEY, {names[1]} text, {names[2]} text, {names[3]} text, {names[4]} text)")
    pattern = (ODD_SCHEMA + "." + ODD_TABLE).replace(".", r"\.")
    settings = {"table.include.list": pattern, "publication.name": ODD_PUBLICATION, "table.ignore.builtin": None}
    settings |= {f"transforms.outbox.table.field.event.{part}": ODD_COLUMNS[column]
                 for part, column in (("id", "id"), ("key", "aggregateid"), ("type", "type"), ("payload", "payload"))}
    settings["transforms.outbox.route.by.field"] = ODD_COLUMNS["aggregatetype"]
    relay, writing = site.relay(SETTINGS | settings).start(), Writing(site, table, names)
    assert site.sql("SELECT schemaname, tablename FROM pg_publication_tables WHERE pubname = %s", (ODD_PUBLICATION,)) == [(ODD_SCHEMA, ODD_TABLE)]
    writing.row("Grüße")
    relay.stop()
    writing.row("restarted")
    relay.start()
    writing.row(json.dumps({"n": 1}))
    writing.check(relay)


# ---- size -------------------------------------------------------------------------------------------------------------


@pytest.mark.full
@pytest.mark.limit(300)
@pytest.mark.parametrize("version", [15, pytest.param(13, marks=pytest.mark.full), pytest.param(18, marks=pytest.mark.full)])
def test_a_row_of_many_megabytes_and_one_above_the_limit(new_site, servers, new_kafka, version, full):
    """The limit is the topic's; what is above it is held, and goes on when the limit is raised."""
    size = (100 if full else 20) * 2**20
    limit = str(size + 2**20)
    broker = new_kafka({"message.max.bytes": str(2**28), "replica.fetch.max.bytes": str(2**28), "socket.request.max.bytes": str(2**29)})
    site = new_site(servers(version), broker)
    text_payload(site)
    site.kafka.create_topic(site.topic, config={"max.message.bytes": limit})
    relay = site.relay(SETTINGS | {"producer.max.request.size": str(2**28), "producer.buffer.memory": str(2**29)}).start()
    writing = Writing(site)
    writing.row("small")
    writing.row("l" * size)
    site.wait_records(2, timeout_s=90)
    writing.row("b" * (size + 2**21))
    writing.row("behind")
    relay.wait_says("state=held", 60)
    assert site.count() == 2
    site.kafka.set_topic_config(site.topic, "max.message.bytes", str(2**28))
    wait_for(lambda: site.count() == 4, 90, site.tails)
    print(f"{relay.peak_mb():.0f} MB at the most for {size / 2**20:.0f} MB")
    assert relay.peak_mb() < 100 + 6 * size / 2**20
    writing.check(relay)


@pytest.mark.parametrize("publication", ["TABLE outbox", "TABLE outbox_1"])
def test_a_partitioned_outbox_whose_partitions_are_sent_under_their_own_names_and_not_listed(site, publication):
    site.sql(PARTITIONED)
    site.sql(f"CREATE PUBLICATION {site.slot}_publication FOR {publication} WITH (publish = 'insert')")
    relay = site.relay(SETTINGS | {"table.include.list": "public.outbox"}).start(wait=False)
    assert "publish_via_partition_root" in relay.wait_exit(ExitCode.PUBLICATION, 20)
