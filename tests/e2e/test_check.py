"""`postrider check` and `setup`: a healthy site passes; each broken one fails where it is broken, with the exit code that `run` ends with and a
remedy that mends it."""
import json
import re
import subprocess

import pytest
from confluent_kafka.admin import AclBinding, AclOperation, AclPermissionType, ResourcePatternType, ResourceType
from harness import ExitCode, wait_for
from harness.relay import write_properties


def command(relay, *words):
    write_properties(relay.files[0], relay.settings)
    return relay.command(*words)


def check(relay):
    """(exit code, findings)."""
    answer = command(relay, "check", "--json")
    assert answer.stderr == "", answer.stderr
    return answer.returncode, json.loads(answer.stdout)


def failures(findings):
    return [finding for finding in findings if finding["result"] == "fail"]


def found(findings, name):
    return [finding for finding in findings if finding["name"] == name]


def healthy(relay):
    """The findings of a site where nothing fails."""
    code, findings = check(relay)
    assert code == 0 and failures(findings) == [], findings
    return findings


def broken(relay, name, code):
    """The failure of this name, which is the first."""
    exit_code, findings = check(relay)
    failed = failures(findings)
    assert failed and failed[0]["name"] == name, findings
    assert exit_code == code, findings
    assert failed[0]["remedy"], failed[0]
    return failed[0]


def run_ends_with(relay, code):
    relay.start(wait=False)
    relay.wait_exit(code, 20)


def apply(site, relay, remedy):
    """Does what a remedy says: SQL, or a key."""
    if re.match(r"[A-Z]{4,} ", remedy):
        for statement in remedy.split("; "):
            site.sql(statement)
    else:
        key, value = remedy.split("=", 1)
        relay.settings[key] = value


@pytest.fixture
def relay(site):
    return site.relay()


# ---- a healthy site ---------------------------------------------------------------------------------------------------


def test_a_new_site_passes_and_nothing_is_changed(site, relay):
    site.insert()
    findings = healthy(relay)
    names = [finding["name"] for finding in findings]
    assert names == sorted(names, key=names.index), "the order is fixed"
    for name in ("configuration", "database_login", "replication_login", "server", "wal_level", "wal_limit", "slot", "free_slots", "free_senders",
                 "publication", "rights", "columns", "evidence", "kafka", "topic"):
        assert found(findings, name), names
    assert found(findings, "wal_limit")[0]["result"] == "warn" and "max_slot_wal_keep_size" in found(findings, "wal_limit")[0]["remedy"]
    assert not site.postgres.slot_exists(site.slot)
    assert site.sql("SELECT count(*) FROM pg_publication")[0][0] == 0
    assert site.topic not in site.kafka.topics()


def test_a_running_relay_passes_and_is_not_disturbed(site, relay):
    relay.start()
    site.insert()
    site.wait_records(1)
    before = relay.walsender()
    findings = healthy(relay)
    assert "read by a relay of ours" in found(findings, "slot")[0]["text"]
    assert found(findings, "publication_age")[0]["result"] == "pass"
    assert "shows that the slot was read" in found(findings, "evidence")[0]["text"]
    assert relay.walsender() == before


def test_the_text_has_a_line_for_each_finding_and_its_remedy_below(relay):
    code, findings = check(relay)
    lines = command(relay, "check").stdout.splitlines()
    heads = [line for line in lines if not line.startswith("      ")]
    assert [line.split()[1] for line in heads] == [finding["name"] for finding in findings]
    assert {line.split()[0] for line in heads} == {"pass", "warn"}
    assert sum(line.startswith("      ") for line in lines) == sum(bool(finding["remedy"]) for finding in findings)


# ---- the configuration ------------------------------------------------------------------------------------------------


def test_every_problem_of_the_configuration_is_named_and_unknown_keys_warn(relay):
    relay.settings |= {"snapshot.mode": "sometimes", "value.converter": None, "slot.nam": "x"}
    code, findings = check(relay)
    assert code == ExitCode.CONFIGURATION
    texts = " ".join(finding["text"] for finding in failures(findings))
    assert "snapshot.mode" in texts and "value.converter" in texts
    assert [finding for finding in findings if finding["result"] == "warn" and "slot.nam" in finding["text"]]
    run_ends_with(relay, ExitCode.CONFIGURATION)


# ---- the database -----------------------------------------------------------------------------------------------------

BROKEN_TABLES = {
    # name: (statement, failing check, exit code)
    "a_missing_column": ("ALTER TABLE outbox RENAME payload TO payloads", "columns", ExitCode.CONFIGURATION),
    "an_unlogged_table": ("ALTER TABLE outbox SET UNLOGGED", "publication", ExitCode.CONFIGURATION),
    "a_publication_without_the_table": ("CREATE TABLE other (n int); CREATE PUBLICATION {slot}_publication FOR TABLE other", "publication",
                                        ExitCode.PUBLICATION),
    "a_publication_without_inserts": ("CREATE PUBLICATION {slot}_publication FOR TABLE outbox WITH (publish = 'update')", "publication",
                                      ExitCode.PUBLICATION),
    "a_slot_of_another_plugin": ("SELECT pg_create_logical_replication_slot('{slot}', 'test_decoding')", "slot", ExitCode.SLOT),
}


@pytest.mark.parametrize("case", BROKEN_TABLES)
def test_what_is_broken_is_mended_by_the_remedy(site, relay, case):
    statement, name, code = BROKEN_TABLES[case]
    site.sql(statement.format(slot=site.slot))
    remedy = broken(relay, name, code)["remedy"]
    run_ends_with(relay, code)
    apply(site, relay, remedy)
    healthy(relay)


def test_a_mistyped_table(site, relay):
    relay.settings["table.include.list"] = "public.outbocks"
    remedy = broken(relay, "publication", ExitCode.CONFIGURATION)["remedy"]
    run_ends_with(relay, ExitCode.CONFIGURATION)
    apply(site, relay, remedy)
    assert relay.settings["table.include.list"] == "public.outbox"
    healthy(relay)


def test_no_publication_where_none_may_be_made(site, relay):
    relay.settings["publication.autocreate.mode"] = "disabled"
    remedy = broken(relay, "publication", ExitCode.PUBLICATION)["remedy"]
    run_ends_with(relay, ExitCode.PUBLICATION)
    apply(site, relay, remedy)
    healthy(relay)


def test_a_role_without_rights_learns_of_all_of_them_at_once(site, relay):
    site.sql("CREATE ROLE plain LOGIN")
    relay.settings["database.user"] = "plain"
    try:
        code, findings = check(relay)
        assert [finding["name"] for finding in failures(findings)] == ["replication_login", "publication", "rights"]
        assert found(findings, "pg_monitor")[0]["remedy"] == 'GRANT pg_monitor TO "plain"'
        run_ends_with(relay, code)
        assert code == ExitCode.DATABASE_REFUSES
        for finding in failures(findings):
            apply(site, relay, finding["remedy"])
        healthy(relay)
    finally:
        site.sql("DROP OWNED BY plain; DROP ROLE plain")


def test_a_wrong_password(site, relay):
    site.sql("CREATE ROLE careful LOGIN REPLICATION PASSWORD 'right' IN ROLE with_password")
    relay.settings |= {"database.user": "careful", "database.password": "wrong-secret"}
    try:
        failure = broken(relay, "database_login", ExitCode.DATABASE_REFUSES)
        assert "wrong-secret" not in json.dumps(failure) and failure["remedy"].startswith("database.password=")
        run_ends_with(relay, ExitCode.DATABASE_REFUSES)
    finally:
        site.sql("DROP ROLE careful")


def test_a_slot_that_another_program_holds(site, relay):
    site.sql(f"CREATE PUBLICATION {site.slot}_publication FOR TABLE outbox WITH (publish = 'insert')")
    site.sql("SELECT pg_create_logical_replication_slot(%s, 'pgoutput')", (site.slot,))
    reader = subprocess.Popen(["pg_recvlogical", "-h", "127.0.0.1", "-p", str(site.postgres.port), "-U", "postgres", "-d", site.database, "-S", site.slot,
                               "--start", "-o", "proto_version=1", "-o", f"publication_names={site.slot}_publication", "-f", "/dev/null", "-n"])
    try:
        wait_for(lambda: site.postgres.streaming_pid(site.slot), 20, "the other program streams")
        remedy = broken(relay, "slot", ExitCode.SLOT_HELD)["remedy"]
        run_ends_with(relay, ExitCode.SLOT_HELD)
        apply(site, relay, remedy)
        assert "waiting for it" in found(healthy(relay), "slot")[0]["text"]
    finally:
        reader.kill()
        reader.wait()


def test_a_slot_that_is_gone_since_an_earlier_start(site, relay):
    relay.start()
    site.insert()
    site.wait_all_confirmed()
    relay.stop()
    site.postgres.drop_slot(site.slot)
    assert "--accept-gap" in broken(relay, "evidence", ExitCode.SLOT)["remedy"]
    run_ends_with(relay, ExitCode.SLOT)
    setup = command(relay, "setup")
    assert setup.returncode == ExitCode.SLOT and not site.postgres.slot_exists(site.slot), setup.stdout


@pytest.mark.full
def test_wal_level_and_full_slots(new_site, new_postgres):
    site = new_site(new_postgres(15, {"wal_level": "replica", "max_replication_slots": "1", "max_wal_senders": "3"}))
    relay = site.relay()
    site.sql("SELECT pg_create_physical_replication_slot('standby', true)")
    code, findings = check(relay)
    assert code == ExitCode.DATABASE_REFUSES
    assert [finding["name"] for finding in failures(findings)] == ["wal_level", "free_slots"]
    assert "standby" in found(findings, "other_slots")[0]["text"]
    run_ends_with(relay, code)
    for finding in failures(findings):
        site.sql(finding["remedy"])
    site.postgres.stop()
    site.postgres.start()
    healthy(relay)


@pytest.mark.full
def test_a_server_that_is_away(new_site, new_postgres):
    site = new_site(new_postgres(15))
    relay = site.relay()
    site.postgres.stop()
    code, findings = check(relay)
    assert code == ExitCode.DATABASE_REFUSES and failures(findings)[0]["name"] == "database_login"
    assert found(findings, "kafka")[0]["result"] == "pass", "what does not need the database is looked at all the same"
    site.postgres.start()
    healthy(relay)


@pytest.mark.full
def test_a_slot_that_was_lost(new_site, new_postgres):
    site = new_site(new_postgres(15, {"max_slot_wal_keep_size": "1MB", "max_wal_size": "32MB", "min_wal_size": "32MB"}))
    relay = site.relay().start()
    relay.stop()
    for _ in range(3):
        site.fill_wal(40)
    remedy = broken(relay, "slot", ExitCode.SLOT)["remedy"]
    run_ends_with(relay, ExitCode.SLOT)
    apply(site, relay, remedy)
    assert "--accept-gap" in broken(relay, "evidence", ExitCode.SLOT)["remedy"]


@pytest.mark.full
def test_warnings_that_do_not_fail(site, relay):
    site.sql(f"CREATE PUBLICATION {site.slot}_publication FOR ALL TABLES; CREATE TABLE bare (n int)")
    site.sql("SELECT pg_create_logical_replication_slot(%s, 'pgoutput')", (f"{site.slot[:40]}_idle",))
    try:
        findings = healthy(relay)
        warned = {finding["name"] for finding in findings if finding["result"] == "warn"}
        assert {"publication_all_tables", "other_slots"} <= warned
        site.sql("SELECT pg_create_logical_replication_slot(%s, 'pgoutput')", (site.slot,))
        site.sql(f"DROP PUBLICATION {site.slot}_publication; CREATE PUBLICATION {site.slot}_publication FOR TABLE outbox")
        assert found(healthy(relay), "publication_age")[0]["result"] == "warn"
        site.sql("ALTER TABLE outbox DROP CONSTRAINT outbox_pkey")
        assert found(healthy(relay), "replica_identity")[0]["result"] == "warn"
    finally:
        site.postgres.drop_slot(f"{site.slot[:40]}_idle")


@pytest.mark.full
@pytest.mark.parametrize("version", [13, 14, 16, 17, 18])
def test_the_other_versions(new_site, servers, version):
    site = new_site(servers(version))
    relay = site.relay({"snapshot.mode": "no_data"})
    site.insert()
    healthy(relay)
    assert command(relay, "setup").returncode == 0
    assert site.postgres.slot_exists(site.slot)
    healthy(relay)
    relay.start()
    site.insert()
    assert len(site.wait_records(1)) == 1


# ---- Kafka ------------------------------------------------------------------------------------------------------------


def test_a_broker_that_is_away(relay):
    relay.settings["bootstrap.servers"] = "127.0.0.1:1"
    assert broken(relay, "kafka", ExitCode.KAFKA_REFUSES)["remedy"].startswith("bootstrap.servers=")


@pytest.mark.full
def test_a_wrong_kafka_password(new_site, new_kafka):
    broker = new_kafka(password="right")
    site = new_site(broker=broker)
    module = "org.apache.kafka.common.security.plain.PlainLoginModule"
    relay = site.relay({"bootstrap.servers": broker.guarded_bootstrap, "producer.security.protocol": "SASL_PLAINTEXT", "producer.sasl.mechanism": "PLAIN",
                        "producer.sasl.jaas.config": f'{module} required username="relay" password="wrong-secret";'})
    failure = broken(relay, "kafka", ExitCode.KAFKA_REFUSES)
    assert "wrong-secret" not in json.dumps(failure)
    run_ends_with(relay, ExitCode.KAFKA_REFUSES)


@pytest.mark.full
def test_topics_that_nobody_makes_and_one_replica_for_three(new_site, new_kafka):
    site = new_site(broker=new_kafka({"auto.create.topics.enable": "false"}))
    relay = site.relay({"errors.tolerance": "none", "errors.deadletterqueue.topic.name": f"{site.name}.dead"})
    site.insert()
    code, findings = check(relay)
    assert code == ExitCode.KAFKA_REFUSES
    assert {finding["name"] for finding in failures(findings)} == {"topic", "dead_letter_topic"}
    assert f"--create --if-not-exists --topic {site.topic}" in [finding for finding in failures(findings) if finding["name"] == "topic"][0]["remedy"]
    apply(site, relay, [finding for finding in failures(findings) if finding["name"] == "dead_letter_topic"][0]["remedy"])
    relay.settings |= {"topic.creation.default.partitions": 3, "topic.creation.default.replication.factor": 1}
    healthy(relay)
    done = command(relay, "setup")
    assert done.returncode == 0, done.stdout
    wait_for(lambda: {site.topic, f"{site.name}.dead"} <= set(site.kafka.topics()), 10, lambda: f"both topics\n{done.stdout}")
    site.kafka.set_topic_config(site.topic, "max.message.bytes", "1000")
    limited = [finding for finding in found(healthy(relay), "topic") if "max.request.size" in finding["text"]]
    assert "kafka-configs.sh" in limited[0]["remedy"]


@pytest.fixture
def deny(new_kafka):
    """A broker with an authorizer that lets in everybody, and deny(type, name, operation), until the end of the test."""
    broker = new_kafka({"authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer", "allow.everyone.if.no.acl.found": "true",
                        "super.users": "User:ANONYMOUS"}, password="right")
    denied = []

    def make(kind, name, operation):
        denied.append(AclBinding(kind, name, ResourcePatternType.LITERAL, "User:relay", "*", operation, AclPermissionType.DENY))
        broker.admin.create_acls(denied[-1:])[denied[-1]].result(20)

    make.broker = broker
    return make


def as_guest(site):
    """A relay that comes in as the user `relay`."""
    module = "org.apache.kafka.common.security.plain.PlainLoginModule"
    return site.relay({"bootstrap.servers": site.kafka.guarded_bootstrap, "producer.security.protocol": "SASL_PLAINTEXT",
                       "producer.sasl.mechanism": "PLAIN", "producer.sasl.jaas.config": f'{module} required username="relay" password="right";'})


@pytest.mark.full
def test_rights_that_kafka_does_not_grant(new_site, deny):
    site = new_site(broker=deny.broker)
    site.insert()
    site.kafka.create_topic(site.topic)
    relay = as_guest(site)
    healthy(relay)
    for operation in (AclOperation.WRITE, AclOperation.DESCRIBE):
        deny(ResourceType.TOPIC, site.topic, operation)
        failure = wait_for(lambda: failures(check(relay)[1]), 10, "the missing right is found")[0]
        assert failure["name"] == "topic" and f"User:relay --operation Write --operation Describe --topic {site.topic}" in failure["remedy"]
    deny(ResourceType.BROKER, "kafka-cluster", AclOperation.IDEMPOTENT_WRITE)
    deny(ResourceType.TOPIC, "*", AclOperation.WRITE)
    failure = wait_for(lambda: [finding for finding in failures(check(relay)[1]) if finding["name"] == "kafka"], 10, "no producer id")[0]
    assert "--operation IdempotentWrite --cluster" in failure["remedy"]
    run_ends_with(relay, ExitCode.KAFKA_REFUSES)


@pytest.mark.full
def test_the_evidence_topic_is_not_made_by_a_look(site):
    topic = f"{site.name}.evidence"
    relay = site.relay({"postrider.state.file": None, "postrider.state.topic": topic})
    assert "no evidence record yet" in found(healthy(relay), "evidence")[0]["text"]
    assert topic not in site.kafka.topics()
    relay.start()
    site.insert()
    site.wait_all_confirmed()
    assert topic in found(healthy(relay), "evidence")[0]["text"]


# ---- setup ------------------------------------------------------------------------------------------------------------


def test_setup_makes_what_is_missing_and_again_nothing(site):
    relay = site.relay({"topic.creation.default.partitions": 2, "topic.creation.default.replication.factor": 1})
    first = command(relay, "setup")
    assert first.returncode == 0, first.stdout
    assert "made   publication" in first.stdout and "made   replication slot" in first.stdout
    second = command(relay, "setup")
    assert second.returncode == 0 and "made" not in {line.split()[0] for line in second.stdout.splitlines()}, second.stdout
    site.insert(rows=3)
    relay.start()
    assert len(site.wait_records(3)) == 3, "what was written since the slot was made is published"
    assert "took over" in relay.output()


def test_setup_leaves_the_slot_to_a_first_start_that_has_rows_to_publish(site, relay):
    site.insert(rows=2)
    done = command(relay, "setup")
    assert done.returncode == 0 and "left to the first start" in done.stdout, done.stdout
    assert not site.postgres.slot_exists(site.slot)
    relay.start()
    site.insert()
    assert len(site.wait_records(3)) == 3


def test_what_setup_prints_is_what_it_would_do(site):
    relay = site.relay({"topic.creation.default.partitions": 2, "topic.creation.default.replication.factor": 1, "snapshot.mode": "no_data"})
    site.insert()
    printed = command(relay, "setup", "--print")
    assert printed.returncode == 0 and printed.stderr == "", printed
    assert not site.postgres.slot_exists(site.slot) and site.topic not in site.kafka.topics()
    lines = [line for line in printed.stdout.splitlines() if not line.startswith(("--", "#"))]
    for line in lines:
        if not line.startswith(("kafka-", "ALTER SYSTEM")):
            site.sql(line)
    healthy(relay)
    topic = [line for line in lines if line.startswith("kafka-topics.sh")]
    assert topic == [f"kafka-topics.sh --bootstrap-server {site.kafka.bootstrap} --create --if-not-exists --topic {site.topic} "
                     "--partitions 2 --replication-factor 1"]
    assert command(relay, "setup", "--print").returncode == 0
