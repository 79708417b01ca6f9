"""Debezium in a standalone Kafka Connect worker, on the same configuration that the relay takes."""
from .kafka import java
from .process import DEPS, Child, free_port, new_folder, wait_for
from .relay import write_properties

# Debezium's own name for its replication connection, as pg_stat_replication shows it.
APPLICATION_NAME = "Debezium Streaming"


class Debezium:
    def __init__(self, relay, settings=None):
        """`relay` lends its configuration; nothing of it is started."""
        self.postgres, self.slot, self.child = relay.postgres, relay.slot, None
        self.folder = new_folder(f"debezium-{self.slot}")
        worker = {
            "bootstrap.servers": relay.settings["bootstrap.servers"],
            "key.converter": "org.apache.kafka.connect.storage.StringConverter",
            "value.converter": relay.settings["value.converter"],
            "offset.storage.file.filename": self.folder / "offsets",
            "offset.flush.interval.ms": "1000",
            "listeners": f"http://127.0.0.1:{free_port()}",
        }
        connector = {"name": "outbox", "tasks.max": "1"} | relay.settings | (settings or {})
        self.files = [write_properties(self.folder / "worker.properties", worker), write_properties(self.folder / "connector.properties", connector)]
        self.runs = 0

    def start(self, wait=True, timeout_s=180):
        self.runs += 1
        command = java("org.apache.kafka.connect.cli.ConnectStandalone", self.files, DEPS / "debezium" / "libs", heap="1g")
        self.child = Child("debezium", command, self.folder / f"run-{self.runs}.log")
        if wait:
            wait_for(lambda: not self.child.running() or self.walsender(), timeout_s, lambda: f"Debezium streams\n{self.child.tail()}", 0.1)
            if not self.child.running():
                raise RuntimeError(f"Debezium ended\n{self.child.tail()}")
        return self

    def walsender(self):
        return self.postgres.streaming_pid(self.slot)

    def stop(self, timeout_s=60):
        self.child.process.terminate()
        self.child.wait(timeout_s)

    def kill9(self):
        self.child.kill9()

    def resident_mb(self):
        return self.child.status_kb("VmRSS") / 1024
