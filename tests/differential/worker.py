"""Debezium in a standalone Connect worker, driven by its REST interface."""
import json
import os
import pathlib
import re
import subprocess
import sys
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))

from harness import new_folder, wait_for  # noqa: E402
from harness.process import DEPS, Child, free_port  # noqa: E402
from harness.relay import write_properties  # noqa: E402

LOGGER = pathlib.Path("/usr/share/java/slf4j-simple.jar")  # Debian's libslf4j-java: Debezium's bundle has none


def newest_java():
    """From JDK 19 on a double is written in its shortest form, as Postrider does: (command, major version)."""
    found = []
    for release in [*pathlib.Path("/usr/lib/jvm").glob("*/release"), *([pathlib.Path(os.environ["JAVA_HOME"]) / "release"] if "JAVA_HOME" in os.environ else [])]:
        version = re.search(r'JAVA_VERSION="(\d+)', release.read_text())
        if version and (release.parent / "bin" / "java").exists():
            found.append((int(version[1]), str(release.parent / "bin" / "java")))
    if found:
        return max(found)[::-1]
    said = subprocess.run(["java", "-version"], capture_output=True, text=True).stderr
    return "java", int(re.search(r'version "(\d+)', said)[1])


def causes(trace):
    """The exceptions of a Java stack trace, the last cause last, with the place of that one."""
    found = re.findall(r"^(?:Caused by: )?([\w.$]+(?:Exception|Error|Throwable)\b[^\n]*(?:\n\tat [^\n]*)?)", trace, re.MULTILINE)
    return " <- ".join(text if text is found[-1] else text.split("\n")[0] for text in found).replace("\n\t", " ") or trace[:500]


class Worker:
    """A standalone Connect worker with its REST interface."""

    def __init__(self, bootstrap):
        if not LOGGER.exists():
            raise RuntimeError("what Debezium says is needed: apt-get install libslf4j-java")
        self.port = free_port()
        folder = new_folder("worker")
        file = write_properties(folder / "worker.properties", {
            "bootstrap.servers": bootstrap, "key.converter": "org.apache.kafka.connect.storage.StringConverter",
            "value.converter": "org.apache.kafka.connect.json.JsonConverter", "offset.storage.file.filename": folder / "offsets",
            "offset.flush.interval.ms": "600000", "listeners": f"http://127.0.0.1:{self.port}", "task.shutdown.graceful.timeout.ms": "2000"})
        java, self.java_version = newest_java()
        level = "-Dorg.slf4j.simpleLogger."
        command = [java, "-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", level + "defaultLogLevel=error",
                   level + "log.io.debezium.embedded=off", "-cp", f"{DEPS}/debezium/libs/*:{LOGGER}",
                   "org.apache.kafka.connect.cli.ConnectStandalone", file]
        self.child = Child("connect", command, folder / "log")
        wait_for(lambda: not self.child.running() or self.answers(), 180, lambda: f"Connect started\n{self.child.tail()}", 0.2)
        if not self.child.running():
            raise RuntimeError(f"Connect does not start\n{self.child.tail()}")

    def answers(self):
        try:
            return self.request("GET", "/connectors") is not None
        except OSError:
            return False

    def request(self, method, path, body=None):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", method=method, headers={"Content-Type": "application/json"},
                                         data=None if body is None else json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=120) as answer:
            text = answer.read()
            return json.loads(text) if text else None

    def create(self, name, config):
        """Why the worker refuses it; "" when it takes it."""
        try:
            self.request("POST", "/connectors", {"name": name, "config": config})
            return ""
        except urllib.error.HTTPError as error:
            return error.read().decode()[:2000]

    def delete(self, name):
        try:
            self.request("DELETE", f"/connectors/{name}")
        except urllib.error.HTTPError:
            pass

    def failure(self, name):
        """The trace of a task that has failed, or ""."""
        try:
            status = self.request("GET", f"/connectors/{name}/status")
        except urllib.error.HTTPError:
            return ""
        parts = [status["connector"], *status["tasks"]]
        return next((causes(part.get("trace", "failed")) for part in parts if part["state"] == "FAILED"), "")

    def failures(self, name):
        """One text a record that was dropped: stage and causes."""
        log = self.child.output()
        found = []
        for report in log.split(f"Error encountered in task {name}-0.")[1:]:
            report = re.split(r"\n\[", report, maxsplit=1)[0]
            stage = re.search(r"Executing stage '(\w+)'", report)
            found.append(f"{stage[1] if stage else '?'}: {causes(report)}")
        return found
