"""Kafka brokers of our own, KRaft, topics of four partitions, made at first use: one alone, or three in a cluster."""
import base64
import functools
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


# Each record on three nodes; one of them may be away.
CLUSTER_SETTINGS = {
    "default.replication.factor": "3",
    "min.insync.replicas": "2",
    "offsets.topic.replication.factor": "3",
    "transaction.state.log.replication.factor": "3",
    "transaction.state.log.min.isr": "2",
    "share.coordinator.state.topic.replication.factor": "3",
    "share.coordinator.state.topic.min.isr": "2",
    "replica.lag.time.max.ms": "3000",
}

START_TIMEOUT_S = 180  # seconds on an idle machine; a busy one needs its time
NEWEST, OLDEST = "kafka", "kafka-3.9"  # folders of .deps


def java(main_class, arguments, libraries, heap="512m", collector="Serial", options=()):
    return ["java", f"-Xmx{heap}", f"-XX:+Use{collector}GC", "-Xshare:auto", "-XX:-UsePerfData", *options, "-cp", f"{libraries}/*", main_class, *arguments]


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


class Topics:
    """What tests do with topics; the class has `bootstrap`."""

    @functools.cached_property
    def admin(self):
        return AdminClient({"bootstrap.servers": self.bootstrap, "log_level": 0})

    def topics(self):
        return sorted(topic for topic in self.admin.list_topics(timeout=20).topics if not topic.startswith("__"))

    def create_topic(self, topic, partitions=4, config=None):
        self.admin.create_topics([NewTopic(topic, partitions, config=config or {})])[topic].result(20)
        wait_for(lambda: topic in self.topics(), 20, f"topic {topic} there")

    def delete_topics(self, topics):
        for future in self.admin.delete_topics(topics, operation_timeout=20).values() if topics else []:
            future.result(20)

    def set_topic_config(self, topic, key, value):
        resource = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=[ConfigEntry(key, value, incremental_operation=AlterConfigOpType.SET)])
        self.admin.incremental_alter_configs([resource])[resource].result(20)

    def topic_config(self, topic, key):
        resource = ConfigResource(ResourceType.TOPIC, topic)
        return self.admin.describe_configs([resource])[resource].result(20)[key].value

    def count(self, topics):
        return consume.count(self.bootstrap, topics)

    def records(self, topics, timeout_s=60):
        return consume.read_all(self.bootstrap, topics, timeout_s)


class Broker:
    """One process of Kafka; `release` is a folder of .deps."""

    def __init__(self, port, settings, release=NEWEST, cluster_id=None):
        self.bootstrap = f"127.0.0.1:{port}"
        self.folder = new_folder("kafka")
        self.libraries = DEPS / release / "libs"
        if not self.libraries.exists():
            raise RuntimeError(f"{release} is not installed: run scripts/install-deps {'demo' if release == NEWEST else 'test'}")
        self.file = self.folder / "server.properties"
        self.file.write_text("".join(f"{key}={value}\n" for key, value in (settings | {"log.dirs": self.folder / "data"}).items()))
        self.child = Child("format", java("kafka.tools.StorageTool", ["format", "-t", cluster_id or new_cluster_id(), "-c", self.file], self.libraries),
                           self.folder / "format.log")
        if self.child.wait(START_TIMEOUT_S) != 0:
            raise RuntimeError(f"Kafka's storage cannot be formatted\n{self.child.tail()}")

    def launch(self):
        self.child = Child("kafka", java("kafka.Kafka", [self.file], self.libraries, heap="1g"), self.folder / "broker.log")
        return self

    def wait_answers(self):
        wait_for(lambda: not self.running() or self.answers(), START_TIMEOUT_S, lambda: f"Kafka started\n{self.child.tail()}", 0.1)
        if not self.running():
            raise RuntimeError(f"Kafka does not start\n{self.child.tail()}")
        return self

    def start(self):
        return self.launch().wait_answers()

    def running(self):
        return self.child.running()

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


def new_cluster_id():
    return base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=").replace("-", "_")  # a dash in front would be an option


class Kafka(Broker, Topics):
    """A broker alone. `password`: of a second listener at guarded_bootstrap, for the user `relay`. `proxy`: clients of its port see this broker
    through it."""

    def __init__(self, settings=None, password=None, proxy=None, release=NEWEST):
        self.port, controller_port, guarded_port = free_port(), free_port(), free_port()
        self.guarded_bootstrap = f"127.0.0.1:{guarded_port}"
        self.settings = SETTINGS | {
            "listeners": f"PLAINTEXT://127.0.0.1:{self.port},CONTROLLER://127.0.0.1:{controller_port}",
            "advertised.listeners": f"PLAINTEXT://127.0.0.1:{self.port}",
            "controller.quorum.voters": f"1@127.0.0.1:{controller_port}",
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
        super().__init__(self.port, self.settings, release)
        self.start()


class Cluster(Topics):
    """Three nodes, each broker and controller; clients are told all of them. Its nodes are stopped and killed one by one: nodes[0] has the id 1."""

    def __init__(self, settings=None):
        ports = [(free_port(), free_port()) for _ in range(3)]
        voters = ",".join(f"{node}@127.0.0.1:{controller}" for node, (_, controller) in enumerate(ports, 1))
        self.bootstrap = ",".join(f"127.0.0.1:{port}" for port, _ in ports)
        cluster_id = new_cluster_id()
        self.nodes = [Broker(port, SETTINGS | CLUSTER_SETTINGS | {
            "node.id": node,
            "listeners": f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}",
            "advertised.listeners": f"PLAINTEXT://127.0.0.1:{port}",
            "controller.quorum.voters": voters,
        } | (settings or {}), cluster_id=cluster_id) for node, (port, controller) in enumerate(ports, 1)]
        for node in self.nodes:
            node.launch()
        for node in self.nodes:
            node.wait_answers()

    def running(self):
        return all(node.running() for node in self.nodes)

    def kill9(self):
        for node in self.nodes:
            node.kill9()

    def thaw(self):
        for node in self.nodes:
            node.thaw()

    def leader(self, topic, partition):
        """The node that leads it."""
        return self.nodes[self.admin.list_topics(topic, timeout=20).topics[topic].partitions[partition].leader - 1]

    def in_sync(self):
        """Whether every partition has all of its replicas: one more node may go."""
        topics = self.admin.list_topics(timeout=20).topics.values()
        return all(len(partition.isrs) == len(partition.replicas) for topic in topics for partition in topic.partitions.values())

    def wait_in_sync(self, timeout_s=60):
        def synced():
            try:
                return self.in_sync()
            except KafkaException:  # the node asked is on its way up
                return False
        wait_for(synced, timeout_s, "all replicas in sync", 0.2)
