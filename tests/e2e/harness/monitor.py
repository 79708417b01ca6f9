"""What a relay or a monitor says over HTTP, and `postrider monitor` as a process."""
import json
import re
import signal
import urllib.error
import urllib.request

from .process import Child, free_port, wait_for
from .relay import binary

SAMPLE = re.compile(r"(\w+)(?:\{(.*)\})? (\S+)")
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


class Pages:
    def __init__(self, address):
        self.address = address

    def get(self, path, timeout_s=5):
        """Status and text; (None, "") where nobody answers."""
        try:
            with urllib.request.urlopen(f"http://{self.address}{path}", timeout=timeout_s) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError:
            return None, ""

    def metric(self, name, **labels):
        """The sum of the samples that have these labels; None where there is none."""
        found = None
        for line in self.get("/metrics")[1].splitlines():
            sample = SAMPLE.fullmatch(line)
            if sample and sample[1] == name and labels.items() <= dict(LABEL.findall(sample[2] or "")).items():
                found = (found or 0) + float(sample[3])
        return found

    def age_s(self):
        return self.metric("postrider_oldest_unpublished_age_seconds")

    def status(self):
        return json.loads(self.get("/status")[1])

    def wait_metric(self, name, holds, timeout_s=20, **labels):
        """Until the value satisfies `holds`; the value."""
        last = []

        def satisfied():
            last[:] = [self.metric(name, **labels)]
            return last[0] is not None and holds(last[0])
        wait_for(satisfied, timeout_s, lambda: f"{name}{labels}: it is {last[0]}", 0.1)
        return last[0]


class Monitor(Pages):
    """`postrider monitor` with the configuration of a relay, at an address of its own."""

    def __init__(self, relay, settings=None):
        super().__init__(f"127.0.0.1:{free_port()}")
        self.relay, self.settings = relay, settings or {}

    def start(self, wait=True):
        options = [word for key, value in self.settings.items() for word in ("--set", f"{key}={value}")]
        self.child = Child(f"monitor {self.relay.slot}", [binary(), "monitor", "--set", f"postrider.http.address={self.address}", *options,
                                                          *self.relay.files], self.relay.folder / "monitor.log", env=self.relay.environment)
        if wait:
            wait_for(lambda: self.get("/readyz")[0] == 200, 20, lambda: f"the monitor reads the slot\n{self.child.tail()}", 0.1)
        return self

    def stop(self, timeout_s=10):
        """SIGTERM; the exit code."""
        self.child.signal(signal.SIGTERM)
        return self.child.wait(timeout_s)
