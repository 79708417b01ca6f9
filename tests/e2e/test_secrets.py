"""Secrets that change while the relay runs: in a file, from a command, at the broker. What is refused after a good start is waited out."""
import re
import time

import pytest
from harness import ExitCode, wait_for
from harness.process import tree
from harness.tls import SCRAM, jaas


@pytest.fixture
def role(site):
    """A role of the test's own with a password."""
    site.sql(f"CREATE ROLE {site.slot} LOGIN SUPERUSER REPLICATION PASSWORD 'first-secret' IN ROLE with_password")
    return site.slot


def change_password(site, role, password):
    """The server's side of a rotation: the password, and the end of every session that used the old one."""
    site.sql(f"ALTER ROLE {role} PASSWORD '{password}'")
    site.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %s", (role,))


def wait_new_walsender(relay, before):
    wait_for(lambda: relay.walsender() not in (None, before), 30, lambda: f"a new walsender\n{relay.child.tail()}", 0.1)


def check_rotation(site, role, relay, change_file):
    """With the old secret still at hand for a while: the relay waits, and is back when the new one is there. Nothing is lost or sent twice."""
    relay.start()
    site.insert(key="before")
    site.wait_all_confirmed()
    before = relay.walsender()
    change_password(site, role, "second-secret")
    relay.wait_says("password authentication failed")
    relay.wait_says("state=waiting")
    site.insert(key="meanwhile")
    time.sleep(1)
    assert relay.running() and relay.walsender() is None
    change_file()
    wait_new_walsender(relay, before)
    site.wait_all_confirmed()
    assert sorted(record.key for record in site.records()) == [b"before", b"meanwhile"]
    assert relay.runs == 1 and relay.stop() == ExitCode.STOPPED
    assert "-secret" not in relay.output()


def test_a_password_file_that_changes(site, role, tmp_path):
    file = tmp_path / "password"
    file.write_text("first-secret\n")
    relay = site.relay({"database.user": role, "postrider.database.password.file": file})
    check_rotation(site, role, relay, lambda: file.write_text("second-secret\n"))


def test_a_password_command_that_prints_another_token(site, role, tmp_path):
    token, runs = tmp_path / "token", tmp_path / "runs"
    token.write_text("first-secret")
    relay = site.relay({"database.user": role, "postrider.database.password.command": f"echo >> {runs}; echo noise-secret >&2; cat {token}"})
    check_rotation(site, role, relay, lambda: token.write_text("second-secret"))
    assert len(runs.read_text()) >= 4, "once for each connection, of which there are two at a time"


def test_a_password_command_that_fails(site, role, tmp_path):
    """At the first start it ends the relay; later it is waited out, and the one that runs is no zombie."""
    broken = tmp_path / "broken"
    broken.touch()
    command = f"if test -e {broken}; then echo half-a-secret; echo all-secret >&2; exit 42; fi; echo first-secret"
    relay = site.relay({"database.user": role, "postrider.database.password.command": command})
    relay.start(wait=False)
    output = relay.wait_exit(ExitCode.DATABASE_REFUSES)
    assert "postrider.database.password.command ended with exit status 42" in output
    assert "-secret" not in output

    broken.unlink()
    relay.start()
    before = relay.walsender()
    broken.touch()
    change_password(site, role, "first-secret")
    relay.wait_says("ended with exit status 42")
    relay.wait_says("state=waiting")
    broken.unlink()
    wait_new_walsender(relay, before)
    site.insert()
    site.wait_all_confirmed()
    assert tree(relay.child.pid) == [relay.child.pid], "no zombie is left"
    assert relay.stop() == ExitCode.STOPPED
    assert "-secret" not in relay.output()


def test_a_stop_while_the_password_command_hangs(site, role):
    relay = site.relay({"database.user": role, "postrider.database.password.command": "sleep 30; echo first-secret"}).start(wait=False)
    relay.wait_says("state=connecting")
    time.sleep(0.5)
    started = time.monotonic()
    assert relay.stop() == ExitCode.STOPPED
    assert time.monotonic() - started < 4


@pytest.mark.full
def test_a_password_command_that_never_ends_is_given_up(site, role):
    relay = site.relay({"database.user": role, "postrider.database.password.command": "sleep 60; echo first-secret"}).start(wait=False)
    assert "did not end within 10000 ms" in relay.wait_exit(ExitCode.DATABASE_REFUSES, 20)


# ---- Kafka ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def shop(new_site, guarded_kafka):
    return new_site(broker=guarded_kafka)


@pytest.fixture
def brief(shop, tmp_path):
    """A relay whose JAAS text lies in a file, and whose broker asks for the password again every few seconds."""
    shop.kafka.set_password("first-secret", "brief")
    write_jaas(tmp_path, "first-secret")
    return shop.relay({
        "bootstrap.servers": shop.kafka.doors["BRIEF"],
        "producer.security.protocol": "SASL_PLAINTEXT",
        "producer.sasl.mechanism": "SCRAM-SHA-256",
        "producer.sasl.jaas.config": f"${{file:{tmp_path}/kafka.properties:jaas}}",
    }).start()


def write_jaas(folder, password):
    (folder / "kafka.properties").write_text(f"jaas={jaas(SCRAM, password, 'brief')}\n")


@pytest.mark.full
@pytest.mark.limit(180)
def test_a_kafka_password_that_changes_at_the_broker(shop, brief, tmp_path):
    shop.insert(key="before")
    shop.wait_records(1)
    walsender = brief.walsender()
    shop.kafka.set_password("second-secret", "brief")
    brief.wait_says("kafka_refuses", 30)
    shop.insert(key="meanwhile")
    cpu_before = brief.cpu_s()
    time.sleep(3)
    assert brief.running() and shop.count() == 1
    assert brief.cpu_s() - cpu_before < 0.6, "it does not spin"
    write_jaas(tmp_path, "second-secret")
    shop.wait_all_confirmed(30)
    assert sorted(record.key for record in shop.records()) == [b"before", b"meanwhile"]
    assert brief.walsender() == walsender and brief.runs == 1, "the database's connection has nothing to do with it"
    assert brief.stop() == ExitCode.STOPPED
    assert len(re.findall("kafka_refuses", brief.output())) < 5, brief.child.tail()
    assert "-secret" not in brief.output()


@pytest.mark.full
@pytest.mark.limit(180)
def test_a_kafka_password_that_is_said_again_and_again(shop, brief):
    """connections.max.reauth.ms is nothing that anybody notices."""
    for _ in range(24):
        shop.insert()
        time.sleep(0.25)
    shop.wait_all_confirmed()
    assert len(shop.records()) == 24
    for word in ("ERROR", "kafka_away", "kafka_refuses", "repeat"):
        assert word not in brief.output(), brief.child.tail()
    assert brief.stop() == ExitCode.STOPPED
