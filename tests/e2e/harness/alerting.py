"""A real Prometheus with the rules of ops/ and a real Alertmanager with its routes, whose pager and tracker are ours.

So that an hour passes in a minute, every duration of both is divided by 60: hasten(). What cannot be divided is the resolution of what is
measured: a round of the watcher, a scrape and an evaluation, each once a second. It is added to the age that pages, and what Alertmanager
waits for is never shorter. With `faster=1` the files are used as they are.
"""
import http.server
import json
import re
import shutil
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

from .process import ROOT, Child, free_port, new_folder, wait_for

OPS = ROOT / "ops"
FASTER = 60
RESOLUTION_S = 3
UNITS_MS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
DURATION = re.compile(r"\b(\d+)(ms|s|m|h|d)\b")
THRESHOLD = re.compile(r"(record: postrider:threshold:(\w+)_seconds\n +expr: )vector\((\d+)\)")


def programs_missing():
    return [name for name in ("prometheus", "prometheus-alertmanager", "promtool", "amtool") if not shutil.which(name)]


def hasten(text, faster, shortest_ms=1_000):
    """The same rules or routes with every duration, and every threshold that is one, divided."""
    def duration(found):
        return f"{max(shortest_ms, int(found[1]) * UNITS_MS[found[2]] // faster)}ms"

    def threshold(found):
        return f"{found[1]}vector({int(found[3]) / faster + (RESOLUTION_S if found[2] == 'age' else 0):g})"
    return text if faster == 1 else DURATION.sub(duration, THRESHOLD.sub(threshold, text))


def get_json(url):
    """What is there; None where nobody answers."""
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return json.load(answer)
    except (OSError, ValueError):
        return None


class Desk:
    """Where Alertmanager's messages end: `received` holds (seconds since 1970, "page" or "ticket", message)."""

    def __init__(self):
        received = self.received = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                received.append((time.time(), self.path.strip("/"), message))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def rings(self, way):
        """(time, names of alerts): one for each message with an alert that it has not named before."""
        seen, found = set(), []
        for at, where, message in list(self.received):
            new = {(alert["fingerprint"], alert["startsAt"], alert["labels"]["alertname"]) for alert in message["alerts"]
                   if where == way and alert["status"] == "firing"} - seen
            seen |= new
            if new:
                found.append((at, sorted({name for _, _, name in new})))
        return found


class Alertmanager:
    def __init__(self, desk, faster=FASTER):
        folder = new_folder("alertmanager")
        text = hasten((OPS / "alertmanager" / "alertmanager.yml").read_text(), faster, RESOLUTION_S * 1_000)
        for name, way in (("pager", "page"), ("tickets", "ticket")):
            assert f"http://{name}.example/postrider" in text
            text = text.replace(f"http://{name}.example/postrider", f"{desk.url}/{way}")
        (folder / "alertmanager.yml").write_text(text)
        self.address = f"127.0.0.1:{free_port()}"
        self.child = Child("alertmanager", ["prometheus-alertmanager", f"--config.file={folder}/alertmanager.yml", f"--storage.path={folder}/data",
                                            f"--web.listen-address={self.address}", "--cluster.listen-address="], folder / "alertmanager.log")
        wait_for(lambda: get_json(f"http://{self.address}/api/v2/status"), 30, lambda: f"Alertmanager answers\n{self.child.tail()}")

    def inhibited(self):
        """Names of alerts that another one silences now."""
        alerts = get_json(f"http://{self.address}/api/v2/alerts") or []
        return {alert["labels"]["alertname"] for alert in alerts if alert["status"]["inhibitedBy"]}


class Prometheus:
    """Scrapes `targets` (job -> address) with the rules of ops/prometheus: every 15 s, or once a second where time is short."""

    def __init__(self, targets, alertmanager, faster=FASTER):
        self.folder, self.address = new_folder("prometheus"), f"127.0.0.1:{free_port()}"
        rules, interval = ["rules.yml", "rules-postgres-exporter.yml"], f"{max(1, 15 // faster)}s"
        for name in rules:
            (self.folder / name).write_text(hasten((OPS / "prometheus" / name).read_text(), faster))
        (self.folder / "prometheus.yml").write_text(json.dumps({  # which is YAML too
            "global": {"scrape_interval": interval, "scrape_timeout": "1s", "evaluation_interval": interval},
            "rule_files": rules,
            "alerting": {"alertmanagers": [{"static_configs": [{"targets": [alertmanager.address]}]}]},
            "scrape_configs": [{"job_name": job, "static_configs": [{"targets": [address]}]} for job, address in targets.items()],
        }))
        self.child = Child("prometheus", ["prometheus", f"--config.file={self.folder}/prometheus.yml", f"--storage.tsdb.path={self.folder}/data",
                                          f"--web.listen-address={self.address}", f"--query.lookback-delta={300 // faster}s",
                                          f"--rules.alert.resend-delay={60 // faster}s"],
                           self.folder / "prometheus.log")
        wait_for(lambda: get_json(f"http://{self.address}/api/v1/status/buildinfo"), 30, lambda: f"Prometheus answers\n{self.child.tail()}")

    def query(self, expression):
        """[(labels, value)] of now."""
        query = urllib.parse.urlencode({"query": expression})
        try:
            with urllib.request.urlopen(f"http://{self.address}/api/v1/query?{query}", timeout=10) as answer:
                found = json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{expression}: {error.read().decode()}") from None
        if found["resultType"] == "scalar":
            return [({}, float(found["result"][1]))]
        return [(sample["metric"], float(sample["value"][1])) for sample in found["result"]]

    def firing(self):
        """Names of alerts."""
        return {labels["alertname"] for labels, _ in self.query('ALERTS{alertstate="firing"}')}

    def wait(self, expression, timeout_s=30):
        """Until it has a result that is not zero."""
        wait_for(lambda: any(value for _, value in self.query(expression)), timeout_s, lambda: f"{expression}: {self.query(expression)}", 0.2)
