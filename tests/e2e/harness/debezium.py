"""Debezium in a standalone Kafka Connect worker, on the same configuration that the relay takes."""
import json
import urllib.error
import urllib.request

from .kafka import java
from .process import DEPS, Child, free_port, new_folder, wait_for
from .relay import write_properties

# Debezium's own name for its replication connection, as pg_stat_replication shows it.
APPLICATION_NAME = "Debezium Streaming"


class Debezium:
    def __init__(self, relay, settings=None, worker=None, jvm=None):
        """`relay` lends its configuration; nothing of it is started. `jvm`: see java()."""
        self.postgres, self.slot, self.child = relay.postgres, relay.slot, None
        self.folder = new_folder(f"debezium-{self.slot}")
        self.url = f"http://127.0.0.1:{free_port()}"
        worker = {
            "bootstrap.servers": relay.settings["bootstrap.servers"],
            "key.converter": "org.apache.kafka.connect.storage.StringConverter",
            "value.converter": relay.settings["value.converter"],
            "offset.storage.file.filename": self.folder / "offsets",
            "offset.flush.interval.ms": "1000",
            "listeners": self.url,
        } | (worker or {})
        self.settings = {"name": "outbox", "tasks.max": "1"} | relay.settings | (settings or {})
        self.files = [write_properties(self.folder / "worker.properties", worker), write_properties(self.folder / "connector.properties", self.settings)]
        self.jvm = {"heap": "1g"} | (jvm or {})
        self.runs = 0

    def start(self, wait=True, timeout_s=180):
        self.runs += 1
        command = java("org.apache.kafka.connect.cli.ConnectStandalone", self.files, DEPS / "debezium" / "libs", **self.jvm)
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

    # ---- the connector, through Connect's REST interface; the worker runs on ------------------------------------------

    def rest(self, method, path, body=None):
        """The answer's JSON; RuntimeError with the text where the worker refuses."""
        return self._request(method, f"/connectors/{self.settings['name']}{path}", body)

    def make_anew(self):
        """Deletes the connector with its offsets, and makes it again, stopped."""
        self.rest("DELETE", "/offsets")
        self.rest("DELETE", "")
        settings = {key: str(value) for key, value in self.settings.items()}
        self._request("POST", "/connectors", {"name": settings["name"], "config": settings, "initial_state": "STOPPED"})
        wait_for(lambda: self.rest("GET", "/status")["connector"]["state"] == "STOPPED", 60, "the connector is there, stopped", 0.1)

    def _request(self, method, path, body):
        request = urllib.request.Request(self.url + path, method=method, data=None if body is None else json.dumps(body).encode(),
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.code} {error.read().decode()}") from None
        return json.loads(text) if text else None

    def stop_connector(self):
        """Ends the task cleanly; its offsets stay."""
        self.rest("PUT", "/stop")
        wait_for(lambda: self.rest("GET", "/status")["connector"]["state"] == "STOPPED" and not self.walsender(), 60, "the connector stopped", 0.1)

    def resume_connector(self, wait=True):
        self.rest("PUT", "/resume")
        if wait:
            wait_for(self.walsender, 60, lambda: f"Debezium streams\n{self.rest('GET', '/status')}", 0.1)

    def offset(self):
        """What it has stored of where it is."""
        return self.rest("GET", "/offsets")["offsets"][0]["offset"]

    def kill9(self):
        self.child.kill9()

    def resident_mb(self):
        return self.child.status_kb("VmRSS") / 1024
