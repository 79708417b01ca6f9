"""Postrider as its users run it: the binary, two files of properties, its output in a file."""
import enum
import os
import pathlib
import signal
import subprocess

from .process import ROOT, Child, free_port, new_folder, wait_for

EXAMPLE = ROOT / "examples" / "outbox.properties"

# Settings with which the payload's text goes out byte for byte.
AS_TEXT = {"value.converter": "org.apache.kafka.connect.storage.StringConverter", "transforms.outbox.table.expand.json.payload": "false"}


class ExitCode(enum.IntEnum):
    STOPPED = 0
    INTERNAL = 1
    CONFIGURATION = 2
    DATABASE_REFUSES = 3
    SLOT = 4
    PUBLICATION = 5
    CONTINUITY = 6
    KAFKA_REFUSES = 7
    STOPPED_EARLY = 8
    SLOT_HELD = 9


def binary():
    return pathlib.Path(os.environ.get("POSTRIDER_BINARY", ROOT / "build" / "release" / "postrider"))


def read_properties(file):
    """Enough of the format for the files of this tree."""
    lines = (line.strip() for line in pathlib.Path(file).read_text().splitlines())
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def write_properties(file, settings):
    """Keys whose value is None are left out."""
    def written(value):
        return str(value).replace("\\", "\\\\").replace("\n", "\\n")
    file.write_text("".join(f"{key}={written(value)}\n" for key, value in settings.items() if value is not None))
    return file


def clean_environment(extra=None):
    return {key: value for key, value in os.environ.items() if not key.startswith("POSTRIDER_")} | (extra or {})


class Relay:
    """One configuration; start() and stop() as often as wanted. `settings` go over the connection's; None removes a key."""

    def __init__(self, postgres, kafka_bootstrap, database, slot, settings=None, connector=EXAMPLE, environment=None):
        self.postgres, self.slot, self.child = postgres, slot, None
        self.folder = new_folder(f"relay-{slot}")
        self.environment = clean_environment(environment)
        self.settings = read_properties(connector) | {
            "database.hostname": "127.0.0.1",
            "database.port": postgres.port,
            "database.user": "postgres",
            "database.password": "unused",
            "database.dbname": database,
            "slot.name": slot,
            "publication.name": f"{slot}_publication",
            "topic.prefix": "app",
            "bootstrap.servers": kafka_bootstrap,
            "postrider.state.file": self.folder / "state.json",
            "postrider.http.address": f"127.0.0.1:{free_port()}",
            "key.converter": "org.apache.kafka.connect.storage.StringConverter",
        } | (settings or {})
        self.files = [self.folder / "postrider.properties"]
        self.runs = 0

    def start(self, wait=True, timeout_s=20, options=()):
        write_properties(self.files[0], self.settings)
        self.runs += 1
        self.child = Child(f"postrider {self.slot}", [binary(), "run", *options, *self.files], self.folder / f"run-{self.runs}.log",
                           env=self.environment)
        return self.wait_streaming(timeout_s) if wait else self

    def wait_streaming(self, timeout_s=20):
        wait_for(lambda: not self.child.running() or self.walsender() is not None, timeout_s, lambda: f"streaming\n{self.child.tail()}", 0.02)
        if not self.child.running():
            raise AssertionError(f"postrider ended with {self.child.process.returncode} instead of streaming\n{self.child.tail()}")
        return self

    def walsender(self):
        return self.postgres.streaming_pid(self.slot)

    def running(self):
        return self.child is not None and self.child.running()

    def stop(self, timeout_s=15):
        """SIGTERM; the exit code."""
        self.child.signal(signal.SIGTERM)
        return self.child.wait(timeout_s)

    def kill9(self):
        self.child.kill9()

    def command(self, *words):
        """Another command of the binary with the relay's configuration: held, pause, ..."""
        return subprocess.run([binary(), *words, *map(str, self.files)], capture_output=True, text=True, timeout=30, env=self.environment)

    def wait_exit(self, code, timeout_s=15):
        """What it said; AssertionError when it ended otherwise."""
        found = self.child.wait(timeout_s)
        assert found == code, f"exit code {found}, not {code!r}\n{self.child.tail()}"
        return self.child.output()

    def wait_says(self, word, timeout_s=20):
        wait_for(lambda: word.lower() in self.child.output().lower(), timeout_s, lambda: f"the log names '{word}'\n{self.child.tail()}")

    def output(self):
        return self.child.output() if self.child else ""

    def peak_mb(self):
        return self.child.status_kb("VmHWM") / 1024

    def cpu_s(self):
        """CPU seconds so far, the library's threads included."""
        return self.child.cpu_s()

    def resident_mb(self):
        return self.child.status_kb("VmRSS") / 1024

    def seconds_to_stream_command(self):
        """From the process's start to START_REPLICATION in the server's log, for the last start()."""
        def logged():
            at = self.postgres.stream_command_at(self.slot)
            return at if at and at >= self.child.started_at - 0.002 else None
        return wait_for(logged, 10, "START_REPLICATION in the server's log") - self.child.started_at

