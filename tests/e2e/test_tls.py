"""TLS and logins to both servers, for real: what is right gets in, what is wrong is refused with one clear error, nothing falls back to less."""
import re
import subprocess
import time

import pytest
from harness import ExitCode, wait_for
from harness.tls import PLAIN, SCRAM, STORE_PASSWORD, Authority, jaas, tls_postgres


@pytest.fixture(scope="module")
def stranger():
    """An authority that nobody trusts."""
    return Authority("stranger")


def refused(relay, code, *words):
    """One ERROR line, that names `words`."""
    relay.start(wait=False)
    relay.wait_exit(code)
    errors = [line for line in relay.output().splitlines() if " ERROR " in line or line.startswith("postrider:")]
    assert len(errors) == 1, relay.child.tail()
    for word in words:
        assert word.lower() in errors[0].lower(), errors[0]
    assert "-secret" not in relay.output()
    return errors[0]


def delivers(site, relay):
    relay.start()
    site.insert()
    site.wait_all_confirmed()
    assert len(site.wait_records(1)) == 1
    assert "-secret" not in relay.output()


# ---- PostgreSQL -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def guarded_postgres(authority):
    server = tls_postgres(authority)
    server.sql("CREATE ROLE careful LOGIN SUPERUSER REPLICATION PASSWORD 'right-secret' IN ROLE with_password")
    server.sql("CREATE ROLE certified LOGIN SUPERUSER REPLICATION IN ROLE with_certificate")
    yield server
    server.kill9()


@pytest.fixture
def vault(new_site, guarded_postgres):
    return new_site(guarded_postgres)


def login(authority, **more):
    return {"database.user": "careful", "database.password": "right-secret", "database.sslmode": "verify-full",
            "database.sslrootcert": authority.certificate} | {f"database.{key}": value for key, value in more.items()}


def encryption(site, relay):
    """What the server says of the relay's two connections."""
    wait_for(lambda: relay.walsender(), 10, "streaming")
    return set(site.sql("SELECT a.backend_type, s.ssl, s.client_dn FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid) "
                        "WHERE a.application_name LIKE 'postrider/%%' AND a.datname = current_database()"))


def test_postgres_verify_full_with_scram(vault, authority):
    relay = vault.relay(login(authority))
    delivers(vault, relay)
    assert encryption(vault, relay) == {("walsender", True, None), ("client backend", True, None)}
    assert vault.postgres.value("SELECT rolpassword LIKE 'SCRAM-SHA-256$%%' FROM pg_authid WHERE rolname = 'careful'")
    assert relay.stop() == ExitCode.STOPPED


def test_postgres_with_a_certificate_instead_of_a_password(vault, authority, tmp_path):
    certificate, key = authority.issue("certified")
    encrypted = tmp_path / "client.key"
    subprocess.run(["openssl", "ec", "-aes256", "-passout", "pass:key-secret", "-in", key, "-out", encrypted], check=True, capture_output=True)
    encrypted.chmod(0o600)
    relay = vault.relay(login(authority, user="certified", password=None, sslcert=certificate, sslkey=encrypted, sslpassword="key-secret"))
    delivers(vault, relay)
    assert ("walsender", True, "/CN=certified") in encryption(vault, relay)
    assert relay.stop() == ExitCode.STOPPED


@pytest.mark.parametrize("sslmode", [pytest.param("verify-ca", marks=pytest.mark.full), "verify-full"])
def test_postgres_with_the_certificate_of_a_stranger(vault, stranger, sslmode):
    refused(vault.relay(login(stranger, sslmode=sslmode)), ExitCode.DATABASE_REFUSES, "certificate verify failed", "database.sslrootcert")


def test_postgres_under_another_name(vault, authority):
    """Of which only verify-full takes notice."""
    relay = vault.relay(login(authority, hostname="localhost"))
    refused(relay, ExitCode.DATABASE_REFUSES, "does not match host name", "localhost")
    relay.settings["database.sslmode"] = "verify-ca"
    delivers(vault, relay)
    assert relay.stop() == ExitCode.STOPPED


def test_postgres_without_a_root_certificate(vault, authority):
    refused(vault.relay(login(authority, sslrootcert=vault.postgres.folder / "nowhere.crt")), ExitCode.DATABASE_REFUSES, "nowhere.crt",
            "database.sslrootcert")


@pytest.mark.parametrize("sslmode", ["require", "verify-full"])
def test_postgres_without_tls_where_tls_is_asked_for(site, authority, sslmode):
    refused(site.relay({"database.sslmode": sslmode, "database.sslrootcert": authority.certificate}), ExitCode.DATABASE_REFUSES,
            "server does not support SSL", "database.sslmode")
    assert not site.postgres.slot_exists(site.slot)


def test_postgres_that_wants_tls_where_it_is_disabled(vault, authority):
    refused(vault.relay(login(authority, sslmode="disable")), ExitCode.DATABASE_REFUSES, "no encryption", "hostssl")


def test_postgres_with_a_wrong_password(vault, authority):
    refused(vault.relay(login(authority, password="wrong-secret")), ExitCode.DATABASE_REFUSES, "careful", "database.password")


def test_postgres_whose_certificate_becomes_a_strangers_while_we_stream(vault, authority, stranger, tmp_path):
    """It may be a rotation that is half done: it passes, and the relay is back when it is whole."""
    trusted = tmp_path / "ca.crt"
    trusted.write_bytes(authority.certificate.read_bytes())
    relay = vault.relay(login(authority, sslrootcert=trusted))
    delivers(vault, relay)
    trusted.write_bytes(stranger.certificate.read_bytes())
    vault.sql("SELECT pg_terminate_backend(%s)", (relay.walsender(),))
    relay.wait_says("certificate verify failed")
    relay.wait_says("state=waiting")
    trusted.write_bytes(authority.certificate.read_bytes())
    wait_for(lambda: relay.walsender(), 30, lambda: f"streaming again\n{relay.child.tail()}")
    vault.insert()
    vault.wait_all_confirmed()
    assert relay.runs == 1 and relay.stop() == ExitCode.STOPPED


# ---- Kafka ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def shop(new_site, guarded_kafka):
    return new_site(broker=guarded_kafka)


@pytest.fixture
def through(shop):
    """through(door, settings): a relay that comes in there; its keys of the producer without `producer.`."""
    def make(door, settings):
        protocol = {"security.protocol": shop.kafka.PROTOCOLS[door]}
        return shop.relay({"bootstrap.servers": shop.kafka.doors[door]} | {f"producer.{key}": value for key, value in (protocol | settings).items()})
    return make


def trust(authority):
    return {"ssl.truststore.type": "PEM", "ssl.truststore.location": authority.certificate}


def scram(password, mechanism="SCRAM-SHA-512"):
    return {"sasl.mechanism": mechanism, "sasl.jaas.config": jaas(SCRAM, password)}


def test_kafka_with_a_pem_truststore(shop, through, authority):
    delivers(shop, through("TLS", trust(authority)))


def test_kafka_with_certificates_in_the_configuration(shop, through, authority):
    delivers(shop, through("TLS", {"ssl.truststore.type": "PEM", "ssl.truststore.certificates": authority.certificate.read_text()}))


def test_kafka_with_a_pkcs12_truststore(shop, through, authority):
    store = {"ssl.truststore.type": "PKCS12", "ssl.truststore.location": authority.truststore("PKCS12")}
    delivers(shop, through("TLS", store | {"ssl.truststore.password": STORE_PASSWORD}))


def test_kafka_with_a_pkcs12_truststore_and_a_wrong_password(through, authority):
    store = {"ssl.truststore.location": authority.truststore("PKCS12"), "ssl.truststore.password": "wrong-secret"}
    refused(through("TLS", store), ExitCode.CONFIGURATION, "truststore", "password")


def test_kafka_with_a_jks_truststore_names_the_line_that_converts_it(shop, through, authority):
    store = authority.truststore("JKS")
    relay = through("TLS", {"ssl.truststore.location": store, "ssl.truststore.password": STORE_PASSWORD})
    line = re.search(r"keytool [^,]*", refused(relay, ExitCode.CONFIGURATION, "JKS", str(store))).group().split()
    subprocess.run([*line, "-srcstorepass", STORE_PASSWORD, "-deststorepass", STORE_PASSWORD], check=True, capture_output=True)
    relay.settings["producer.ssl.truststore.location"] = f"{store}.p12"
    delivers(shop, relay)


def test_kafka_with_the_certificate_of_a_stranger(through, stranger):
    refused(through("TLS", trust(stranger)), ExitCode.KAFKA_REFUSES, "certificate verify failed", "ssl.truststore")


def test_kafka_under_another_name(shop, through, authority):
    """Which only an empty ssl.endpoint.identification.algorithm lets pass."""
    refused(through("MISNAMED", trust(authority)), ExitCode.KAFKA_REFUSES, "certificate verify failed", "ssl.endpoint.identification.algorithm")
    delivers(shop, through("MISNAMED", trust(authority) | {"ssl.endpoint.identification.algorithm": ""}))


def test_kafka_with_a_certificate_of_the_client(shop, through, authority):
    store = authority.keystore(*authority.issue("relay"))
    delivers(shop, through("MUTUAL", trust(authority) | {"ssl.keystore.location": store, "ssl.keystore.password": STORE_PASSWORD}))


def test_kafka_with_a_certificate_of_the_client_in_pem(shop, through, authority, tmp_path):
    certificate, key = authority.issue("relay-pem")
    encrypted = tmp_path / "relay.key"
    subprocess.run(["openssl", "pkcs8", "-topk8", "-passout", "pass:key-secret", "-in", key, "-out", encrypted], check=True, capture_output=True)
    delivers(shop, through("MUTUAL", trust(authority) | {
        "ssl.keystore.type": "PEM", "ssl.keystore.certificate.chain": certificate.read_text(), "ssl.keystore.key": encrypted.read_text(),
        "ssl.key.password": "key-secret"}))


def test_kafka_that_wants_a_certificate_of_the_client(through, authority, stranger):
    refused(through("MUTUAL", trust(authority)), ExitCode.KAFKA_REFUSES, "ssl.keystore")
    store = stranger.keystore(*stranger.issue("relay"))
    refused(through("MUTUAL", trust(authority) | {"ssl.keystore.location": store, "ssl.keystore.password": STORE_PASSWORD}), ExitCode.KAFKA_REFUSES,
            "ssl.keystore")


def test_kafka_with_scram(shop, through, authority):
    delivers(shop, through("LOGIN", trust(authority) | scram("scram-secret")))


def test_kafka_with_plain(shop, through, authority):
    delivers(shop, through("LOGIN", trust(authority) | {"sasl.mechanism": "PLAIN", "sasl.jaas.config": jaas(PLAIN, shop.kafka.PLAIN_PASSWORD)}))


def test_the_librarys_own_debug_lines_hold_no_secret(shop, through, authority):
    certificate, key = authority.issue("relay-debug")
    relay = through("LOGIN", scram("scram-secret") | {
        "ssl.truststore.location": authority.truststore("PKCS12"), "ssl.truststore.password": STORE_PASSWORD,
        "ssl.keystore.certificate.chain": certificate.read_text(), "ssl.keystore.key": key.read_text()})
    relay.settings |= {"librdkafka.debug": "all", "postrider.log.level": "debug"}
    delivers(shop, relay)
    assert "DEBUG kafka_client" in relay.output(), "else this shows nothing"
    assert "PRIVATE KEY" not in relay.output()
    secret_line = key.read_text().splitlines()[1]
    assert secret_line not in relay.output()


@pytest.mark.parametrize("settings", [scram("wrong-secret"), {"sasl.mechanism": "PLAIN", "sasl.jaas.config": jaas(PLAIN, "wrong-secret")},
                                      scram("scram-secret", "SCRAM-SHA-256")], ids=["scram", "plain", "mechanism"])
def test_kafka_with_a_wrong_login(through, authority, settings):
    refused(through("LOGIN", trust(authority) | settings), ExitCode.KAFKA_REFUSES, "sasl.jaas.config")


@pytest.mark.parametrize("door", ["TLS", pytest.param("PLAINTEXT", marks=pytest.mark.full)])
def test_kafka_behind_another_protocol_than_configured(shop, authority, door):
    """A broker that hangs up may also be one that starts: it is asked again and again, and the line says what it may be."""
    settings = {"bootstrap.servers": shop.kafka.doors["TLS"]} if door == "TLS" else {"producer.security.protocol": "SSL"}
    relay = shop.relay({"producer.ssl.truststore.location": authority.certificate, "postrider.drain.timeout.ms": "500"} | settings).start()
    relay.wait_says("does it want another security.protocol")
    shop.insert()
    cpu_before = relay.cpu_s()
    time.sleep(2)
    assert shop.count() == 0 and relay.cpu_s() - cpu_before < 0.4
    assert relay.stop() == ExitCode.STOPPED_EARLY
