"""Certificates of our own making, and servers that want them: PostgreSQL with TLS, Kafka with doors for each way in."""
import os
import shutil
import subprocess

from confluent_kafka.admin import ScramCredentialInfo, ScramMechanism, UserScramCredentialUpsertion

from .kafka import SETTINGS, Broker, Topics
from .postgres import Postgres
from .process import free_port, new_folder

STORE_PASSWORD = "store-secret"
NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256")
SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule"
PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"


def openssl(*words):
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)


class Authority:
    """A certificate authority; its files lie in one folder. Keys are PEM without a password, which servers read only where nobody else may."""

    def __init__(self, name):
        self.folder = new_folder(f"authority-{name}")
        self.certificate, self.key = self.folder / "ca.crt", self.folder / "ca.key"
        openssl("req", "-x509", *NEW_KEY, "-nodes", "-days", "2", "-subj", f"/CN={name}", "-keyout", self.key, "-out", self.certificate)

    def issue(self, name, subject_alternatives=None):
        """(certificate, key) for this common name; `subject_alternatives` as openssl writes them: "IP:127.0.0.1"."""
        certificate, key, request, extensions = (self.folder / f"{name}.{end}" for end in ("crt", "key", "csr", "ext"))
        extensions.write_text(f"subjectAltName={subject_alternatives}\n" if subject_alternatives else "")
        openssl("req", "-new", *NEW_KEY, "-nodes", "-subj", f"/CN={name}", "-keyout", key, "-out", request)
        openssl("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self.key, "-CAcreateserial", "-days", "2", "-extfile", extensions,
                "-out", certificate)
        return certificate, key

    def truststore(self, kind):
        """A store with this authority in it as Java makes it: PKCS12 or JKS."""
        store = self.folder / f"truststore.{kind.lower()}"
        if not store.exists():
            subprocess.run(["keytool", "-importcert", "-noprompt", "-alias", "ca", "-file", self.certificate, "-keystore", store, "-storetype", kind,
                            "-storepass", STORE_PASSWORD], check=True, capture_output=True)
        return store

    def keystore(self, certificate, key):
        """The two in PKCS12."""
        store = certificate.with_suffix(".p12")
        openssl("pkcs12", "-export", "-in", certificate, "-inkey", key, "-name", "me", "-passout", f"pass:{STORE_PASSWORD}", "-out", store)
        return store


def both(certificate, key):
    """Key and certificate in one file, as Kafka's brokers want their PEM."""
    file = certificate.with_suffix(".pem")
    file.write_text(key.read_text() + certificate.read_text())
    return file


def jaas(module, password, user="relay"):
    return f'{module} required username="{user}" password="{password}";'


def tls_postgres(authority):
    """A server that lets in, over TLS alone, who has a password or a certificate; as 127.0.0.1, not as localhost. `postgres` comes in by trust."""
    server = Postgres(15)
    certificate, key = authority.issue("database", "IP:127.0.0.1")
    for file in (authority.certificate, certificate, key):
        shutil.copy(file, server.folder)
    if os.geteuid() == 0:
        shutil.chown(server.folder / key.name, server.user)
    server.sql("CREATE ROLE with_certificate NOLOGIN")
    (server.data / "pg_hba.conf").write_text("hostssl all,replication +with_password 127.0.0.1/32 scram-sha-256\n"
                                             "hostssl all,replication +with_certificate 127.0.0.1/32 cert\n"
                                             "host all,replication postgres 127.0.0.1/32 trust\n")
    server.settings |= {"ssl": "on", "ssl_ca_file": server.folder / "ca.crt", "ssl_cert_file": server.folder / certificate.name,
                        "ssl_key_file": server.folder / key.name}
    server.stop()
    server.write_settings()
    return server.start()


class GuardedKafka(Broker, Topics):
    """A broker with a door for each way in; doors[NAME] is its address. The harness itself comes in by `bootstrap`, without a guard.

    TLS: encrypted. MUTUAL: with a certificate of the client. MISNAMED: encrypted, under another host's name. LOGIN: encrypted, with a password,
    SCRAM-SHA-512 or PLAIN. BRIEF: a password, SCRAM-SHA-256, to be said again every few seconds."""

    PROTOCOLS = {"TLS": "SSL", "MUTUAL": "SSL", "MISNAMED": "SSL", "LOGIN": "SASL_SSL", "BRIEF": "SASL_PLAINTEXT"}
    PLAIN_PASSWORD = "plain-secret"

    def __init__(self, authority):
        ports = {name: free_port() for name in ("PLAINTEXT", "CONTROLLER", *self.PROTOCOLS)}
        self.doors = {name: f"127.0.0.1:{ports[name]}" for name in self.PROTOCOLS}
        addresses = {name: f"{name}://127.0.0.1:{port}" for name, port in ports.items()}
        protocols = {"PLAINTEXT": "PLAINTEXT", "CONTROLLER": "PLAINTEXT"} | self.PROTOCOLS
        mine, other = both(*authority.issue("broker", "IP:127.0.0.1")), both(*authority.issue("elsewhere", "DNS:elsewhere.example"))
        super().__init__(ports["PLAINTEXT"], SETTINGS | {
            "listeners": ",".join(addresses.values()),
            "advertised.listeners": ",".join(address for name, address in addresses.items() if name != "CONTROLLER"),
            "controller.quorum.voters": f"1@127.0.0.1:{ports['CONTROLLER']}",
            "listener.security.protocol.map": ",".join(f"{name}:{protocol}" for name, protocol in protocols.items()),
            "inter.broker.listener.name": "PLAINTEXT",
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": mine,
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": authority.certificate,
            "listener.name.mutual.ssl.client.auth": "required",
            "listener.name.misnamed.ssl.keystore.type": "PEM",
            "listener.name.misnamed.ssl.keystore.location": other,
            "listener.name.login.sasl.enabled.mechanisms": "SCRAM-SHA-512,PLAIN",
            "listener.name.login.scram-sha-512.sasl.jaas.config": f"{SCRAM} required;",
            "listener.name.login.plain.sasl.jaas.config": f'{PLAIN} required user_relay="{self.PLAIN_PASSWORD}";',
            "listener.name.brief.sasl.enabled.mechanisms": "SCRAM-SHA-256",
            "listener.name.brief.scram-sha-256.sasl.jaas.config": f"{SCRAM} required;",
            "listener.name.brief.scram-sha-256.connections.max.reauth.ms": "4000",
        })
        self.start()

    def set_password(self, password, user="relay"):
        """Of SCRAM, with both of its hashes."""
        for mechanism in (ScramMechanism.SCRAM_SHA_256, ScramMechanism.SCRAM_SHA_512):
            change = UserScramCredentialUpsertion(user, ScramCredentialInfo(mechanism, 4096), password.encode())
            self.admin.alter_user_scram_credentials([change])[user].result(20)
