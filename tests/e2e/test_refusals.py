"""What a newcomer gets wrong: each ends within 10 s, with its exit code and one sentence that says what to do."""
import pytest
from harness import ExitCode

END_TIMEOUT_S = 10


def refused(relay, code, *words):
    """Ends with this code; its output has all words."""
    relay.start(wait=False)
    output = relay.wait_exit(code, END_TIMEOUT_S)
    missing = [word for word in words if word.lower() not in output.lower()]
    assert not missing, f"the output does not name {missing}\n{output}"
    errors = [line for line in output.splitlines() if " ERROR " in line or line.startswith("postrider:")]
    assert len(errors) == 1, f"one line says what is wrong, not {len(errors)}\n{output}"


# ---- the configuration ------------------------------------------------------------------------------------------------


def test_no_value_converter(site):
    refused(site.relay({"value.converter": None}), ExitCode.CONFIGURATION, "value.converter", "StringConverter")


def test_a_wrong_value_names_file_line_key_and_what_is_allowed(site):
    refused(site.relay({"snapshot.mode": "sometimes"}), ExitCode.CONFIGURATION, "postrider.properties:", "snapshot.mode", "initial", "no_data")


def test_a_mistyped_key_is_warned_about_with_the_nearest_name(site):
    relay = site.relay({"slot.nam": "x"}).start()
    assert "slot.nam" in relay.output() and "slot.name" in relay.output().replace("slot.nam ", "")


def test_a_missing_file(site):
    relay = site.relay()
    relay.files.append(relay.folder / "nowhere.properties")
    refused(relay, ExitCode.CONFIGURATION, "nowhere.properties")


def test_another_connector(site):
    refused(site.relay({"connector.class": "io.debezium.connector.mysql.MySqlConnector"}), ExitCode.CONFIGURATION, "connector.class")


# ---- the database -----------------------------------------------------------------------------------------------------


def test_a_wrong_password(site):
    site.sql("CREATE ROLE careful LOGIN REPLICATION PASSWORD 'right' IN ROLE with_password")
    try:
        refused(site.relay({"database.user": "careful", "database.password": "wrong-secret"}), ExitCode.DATABASE_REFUSES, "careful", "password")
        assert "wrong-secret" not in site.relays[0].output()
    finally:
        site.sql("DROP ROLE careful")


def test_a_right_password_that_lives_in_a_file(site, tmp_path):
    site.sql("CREATE ROLE careful LOGIN SUPERUSER REPLICATION PASSWORD 'right=secret' IN ROLE with_password")
    secrets = tmp_path / "secrets.properties"
    secrets.write_text("password=right=secret\n")
    try:
        relay = site.relay({"database.user": "careful", "database.password": f"${{file:{secrets}:password}}"}).start()
        assert "right=secret" not in relay.output()
        relay.stop()
    finally:
        site.postgres.drop_slot(site.slot)
        site.sql("DROP OWNED BY careful")
        site.sql("DROP ROLE careful")


def test_no_such_database(site):
    refused(site.relay({"database.dbname": "nowhere"}), ExitCode.DATABASE_REFUSES, "nowhere", "database.dbname")


def test_a_role_without_replication(site):
    site.sql("CREATE ROLE plain LOGIN")
    try:
        refused(site.relay({"database.user": "plain"}), ExitCode.DATABASE_REFUSES, "plain", "REPLICATION")
    finally:
        site.sql("DROP ROLE plain")


def test_wal_level_replica(new_site, new_postgres):
    site = new_site(new_postgres(15, {"wal_level": "replica"}))
    refused(site.relay(), ExitCode.DATABASE_REFUSES, "wal_level", "logical")


def test_a_role_that_may_not_make_the_publication(site):
    site.sql("CREATE ROLE guest LOGIN REPLICATION")
    try:
        refused(site.relay({"database.user": "guest"}), ExitCode.DATABASE_REFUSES, "CREATE PUBLICATION")
    finally:
        site.sql("DROP ROLE guest")


# ---- the table --------------------------------------------------------------------------------------------------------


def test_an_unknown_table(site):
    refused(site.relay({"table.include.list": "public.outbocks"}), ExitCode.CONFIGURATION, "outbocks")


def test_a_missing_column(site):
    site.sql("ALTER TABLE outbox RENAME payload TO body")
    refused(site.relay(), ExitCode.CONFIGURATION, "payload", "table.field.event.payload")


def test_an_unlogged_table(site):
    site.sql("ALTER TABLE outbox SET UNLOGGED")
    refused(site.relay(), ExitCode.CONFIGURATION, "unlogged")


# ---- publication and slot ---------------------------------------------------------------------------------------------


def test_no_publication_where_none_may_be_made(site):
    refused(site.relay({"publication.autocreate.mode": "disabled"}), ExitCode.PUBLICATION, f"{site.slot}_publication", "CREATE PUBLICATION")


def test_a_publication_without_the_table(site):
    site.sql(f"CREATE TABLE other (n int); CREATE PUBLICATION {site.slot}_publication FOR TABLE other")
    refused(site.relay(), ExitCode.PUBLICATION, f"{site.slot}_publication", "outbox")


def test_a_slot_of_another_plugin(site):
    site.sql("SELECT pg_create_logical_replication_slot(%s, 'test_decoding')", (site.slot,))
    refused(site.relay(), ExitCode.SLOT, site.slot, "test_decoding", "pgoutput")


def test_a_slot_of_another_database(site, new_site):
    other = new_site()
    other.sql("SELECT pg_create_logical_replication_slot(%s, 'pgoutput')", (other.slot,))
    relay = site.relay({"slot.name": other.slot})
    refused(relay, ExitCode.SLOT, other.slot, other.database)


# In one statement of the server, so that the relay cannot come back in between.
DROP_UNDER_ITS_READER = """
    SELECT pg_terminate_backend(active_pid, 5000) FROM pg_replication_slots WHERE slot_name = %s AND active;
    SELECT pg_drop_replication_slot(%s)"""


def test_a_slot_that_is_dropped_under_the_relay(site):
    relay = site.relay().start()
    site.sql(DROP_UNDER_ITS_READER, (site.slot, site.slot))
    relay.wait_exit(ExitCode.SLOT, 20)
    assert site.slot in relay.output()


def test_a_slot_that_was_lost(new_site, new_postgres):
    site = new_site(new_postgres(15, {"max_slot_wal_keep_size": "1MB", "max_wal_size": "32MB", "min_wal_size": "32MB"}))
    relay = site.relay().start()
    relay.stop()
    for _ in range(3):
        site.fill_wal(40)
    refused(relay, ExitCode.SLOT, site.slot, "max_slot_wal_keep_size")


# ---- Kafka ------------------------------------------------------------------------------------------------------------

def jaas(password):
    return f'org.apache.kafka.common.security.plain.PlainLoginModule required username="relay" password="{password}";'


@pytest.fixture
def guarded(new_site, new_kafka):
    """A broker with a second door that wants a password."""
    broker = new_kafka(password="right")
    return new_site(broker=broker), broker.guarded_bootstrap


def test_a_wrong_kafka_password(guarded):
    site, door = guarded
    relay = site.relay({"bootstrap.servers": door, "producer.security.protocol": "SASL_PLAINTEXT", "producer.sasl.mechanism": "PLAIN",
                        "producer.sasl.jaas.config": jaas("wrong-secret")})
    refused(relay, ExitCode.KAFKA_REFUSES, "sasl")
    assert "wrong-secret" not in relay.output()


def test_a_right_kafka_password(guarded):
    site, door = guarded
    relay = site.relay({"bootstrap.servers": door, "producer.security.protocol": "SASL_PLAINTEXT", "producer.sasl.mechanism": "PLAIN",
                        "producer.sasl.jaas.config": jaas("right")}).start()
    site.insert()
    assert len(site.wait_records(1)) == 1
    assert "right" not in [word.strip('"') for word in relay.output().split()]
