"""A Kafka broker of our own: one node, KRaft, topics of four partitions, made at first use."""
import base64
import uuid

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource, NewTopic, ResourceType

from . import consume
from .process import DEPS, Child, free_port, new_folder, wait_for

SETTINGS = {
    "process.roles": "broker,controller",
    "node.id": "1",
    "controller.listener.names": "CONTROLLER",
    "num.partitions": "4",
    "auto.create.topics.enable": "true",
    "offsets.topic.replication.factor": "1",
    "offsets.topic.num.partitions": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    "group.initial.rebalance.delay.ms": "0",
    "log.cleaner.enable": "false",
    "broker.session.timeout.ms": "3000",  # a killed broker is let in again only when its old session has ended
    "broker.heartbeat.interval.ms": "500",
}


START_TIMEOUT_S = 180  # seconds on an idle machine; a busy one needs its time


def java(main_class, arguments, libraries, heap="512m", options=()):
    return ["java", f"-Xmx{heap}", "-XX:+UseSerialGC", "-Xshare:auto", "-XX:-UsePerfData", *options, "-cp", f"{libraries}/*", main_class, *arguments]


def guarded_listener(port, password):
    """Settings of a second listener that lets in the user `relay` with this password (SASL PLAIN)."""
    return {
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,GUARDED:SASL_PLAINTEXT",
        "inter.broker.listener.name": "PLAINTEXT",
        "sasl.enabled.mechanisms": "PLAIN",
        "listener.name.guarded.plain.sasl.jaas.config":
            f'org.apache.kafka.common.security.plain.PlainLoginModule required user_relay="{password}";',
    }


# A second listener, whose clients come back through another port: that of a proxy.
OUTSIDE_LISTENER = {
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,OUTSIDE:PLAINTEXT",
    "inter.broker.listener.name": "PLAINTEXT",
}


class Kafka:
    """`password`: of a second listener at guarded_bootstrap, for the user `relay`. `proxy`: clients of its port see this broker through it."""

    def __init__(self, settings=None, password=None, proxy=None):
        self.port, controller_port, guarded_port = free_port(), free_port(), free_port()
        self.guarded_bootstrap = f"127.0.0.1:{guarded_port}"
        self.bootstrap = f"127.0.0.1:{self.port}"
        self.folder = new_folder("kafka")
        self.libraries = DEPS / "kafka" / "libs"
        if not self.libraries.exists():
            raise RuntimeError("Kafka is not installed: run scripts/install-deps demo")
        self.settings = SETTINGS | {
            "listeners": f"PLAINTEXT://127.0.0.1:{self.port},CONTROLLER://127.0.0.1:{controller_port}",
            "advertised.listeners": f"PLAINTEXT://127.0.0.1:{self.port}",
            "controller.quorum.voters": f"1@127.0.0.1:{controller_port}",
            "log.dirs": str(self.folder / "data"),
        } | (settings or {})
        if password:
            self.settings |= guarded_listener(guarded_port, password)
            for key in ("listeners", "advertised.listeners"):
                self.settings[key] += f",GUARDED://127.0.0.1:{guarded_port}"
        if proxy:
            proxy.target_port = free_port()
            self.settings |= OUTSIDE_LISTENER
            self.settings["listeners"] += f",OUTSIDE://127.0.0.1:{proxy.target_port}"
            self.settings["advertised.listeners"] += f",OUTSIDE://127.0.0.1:{proxy.port}"
        self.file = self.folder / "server.properties"
        self.file.write_text("".join(f"{key}={value}\n" for key, value in self.settings.items()))
        cluster_id = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=").replace("-", "_")  # a dash in front would be an option
        formatter = Child("format", java("kafka.tools.StorageTool", ["format", "-t", cluster_id, "-c", self.file], self.libraries),
                          self.folder / "format.log")
        if formatter.wait(START_TIMEOUT_S) != 0:
            raise RuntimeError(f"Kafka's storage cannot be formatted\n{formatter.tail()}")
        self.child = None
        self.admin = AdminClient({"bootstrap.servers": self.bootstrap, "log_level": 0})
        self.start()

    def start(self):
        self.child = Child("kafka", java("kafka.Kafka", [self.file], self.libraries, heap="1g"), self.folder / "broker.log")
        wait_for(lambda: not self.child.running() or self.answers(), START_TIMEOUT_S, lambda: f"Kafka started\n{self.child.tail()}", 0.1)
        if not self.child.running():
            raise RuntimeError(f"Kafka does not start\n{self.child.tail()}")
        return self

    def answers(self):
        try:
            return bool(AdminClient({"bootstrap.servers": self.bootstrap, "log_level": 0}).list_topics(timeout=1).brokers)
        except KafkaException:
            return False

    def stop(self, timeout_s=60):
        self.child.process.terminate()
        self.child.wait(timeout_s)

    def kill9(self):
        self.child.kill9()

    def freeze(self):
        self.child.freeze()

    def thaw(self):
        self.child.thaw()

    # ---- topics -------------------------------------------------------------------------------------------------------

    def topics(self):
        return sorted(topic for topic in self.admin.list_topics(timeout=20).topics if not topic.startswith("__"))

    def create_topic(self, topic, partitions=4, config=None):
        self.admin.create_topics([NewTopic(topic, partitions, 1, config=config or {})])[topic].result(20)
        wait_for(lambda: topic in self.topics(), 20, f"topic {topic} there")

    def delete_topics(self, topics):
        for future in self.admin.delete_topics(topics, operation_timeout=20).values() if topics else []:
            future.result(20)

    def set_topic_config(self, topic, key, value):
        resource = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=[ConfigEntry(key, value, incremental_operation=AlterConfigOpType.SET)])
        self.admin.incremental_alter_configs([resource])[resource].result(20)

    def count(self, topics):
        return consume.count(self.bootstrap, topics)

    def records(self, topics, timeout_s=60):
        return consume.read_all(self.bootstrap, topics, timeout_s)
