"""The programs that are compared. Each reads one slot; but for pg_recvlogical, each publishes what it reads to <slot>.<aggregatetype>.

make() gives one; it has start(), stop(), child and slot, whatever it is.
"""
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

from harness import Child, Debezium, new_folder  # noqa: E402
from harness.relay import AS_TEXT, binary  # noqa: E402

from loads import PUBLICATION  # noqa: E402

EXPANDED = {"value.converter": "org.apache.kafka.connect.json.JsonConverter", "value.converter.schemas.enable": "true",
            "transforms.outbox.table.expand.json.payload": "true"}

# What bin/connect-standalone gives the JVM, and how often a worker stores its offsets by itself.
AS_SHIPPED_JVM = {"heap": "2g", "collector": "G1", "options": [
    "-Xms256m", "-server", "-XX:MaxGCPauseMillis=20", "-XX:InitiatingHeapOccupancyPercent=35", "-XX:+ExplicitGCInvokesConcurrent"]}
AS_SHIPPED_WORKER = {"offset.flush.interval.ms": "60000"}
# For throughput: larger batches all the way, five requests in flight (Connect sets one).
TUNED = {
    "max.batch.size": "16384",
    "max.queue.size": "65536",
    "poll.interval.ms": "10",
    "producer.override.batch.size": "524288",
    "producer.override.linger.ms": "10",
    "producer.override.buffer.memory": "134217728",
    "producer.override.max.request.size": "8388608",
    "producer.override.enable.idempotence": "true",
    "producer.override.max.in.flight.requests.per.connection": "5",
}


class Program:
    """A native program with its words."""

    def __init__(self, name, slot, words):
        self.name, self.slot, self.words, self.child = name, slot, words, None
        self.folder = new_folder(f"{name}-{slot}")

    def start(self, wait=False):
        self.child = Child(self.name, self.words, self.folder / "log")
        return self

    def stop(self):
        self.child.process.terminate()
        self.child.wait(20)


def bare_loop_file():
    """Built beside the binary that is measured, or where $POSTRIDER_BARE_LOOP says."""
    return pathlib.Path(os.environ.get("POSTRIDER_BARE_LOOP", binary().parent / "tests" / "bench" / "bare_loop"))


def bare(site, slot, publication=PUBLICATION, pace="never", producer=None, end_lsn=None, host="127.0.0.1", sslmode="prefer"):
    """Publishes unless it is told where to end. `producer`: properties of librdkafka."""
    words = [bare_loop_file(), "--slot", slot, "--publication", publication, "--pace", pace,
             "--database", f"host={host} port={site.postgres.port} user=postgres dbname={site.database} sslmode={sslmode}"]
    if end_lsn:
        words += ["--end", end_lsn]
    else:
        words += ["--kafka", site.kafka.bootstrap, "--topic", slot]
    for key, value in (producer or {}).items():
        words += ["-X", f"{key}={value}"]
    return Program("bare_loop", slot, words)


def recvlogical(site, slot, publication, end_lsn):
    return Program("pg_recvlogical", slot, [
        "pg_recvlogical", "-h", "127.0.0.1", "-p", site.postgres.port, "-U", "postgres", "-d", site.database, "-S", slot, "--start",
        "-o", "proto_version=1", "-o", f"publication_names={publication}", "-f", "/dev/null", "--endpos", end_lsn, "--no-loop"])


def postrider(site, slot, publication, settings):
    relay = site.relay({"slot.name": slot, "publication.name": publication, "publication.autocreate.mode": "disabled", "snapshot.mode": "no_data",
                        "transforms.outbox.route.topic.replacement": f"{slot}.${{routedByValue}}"} | settings)
    relay.slot = slot
    return relay


def debezium(site, slot, publication, settings):
    return Debezium(postrider(site, slot, publication, settings), worker=AS_SHIPPED_WORKER, jvm=AS_SHIPPED_JVM)


READ_ONLY = "pg_recvlogical"
BARE = {
    "bare": {"pace": "never"},
    "bare-paced": {"pace": "drained"},
    "bare-gulp": {"pace": "gulp"},
    "bare-eager": {"pace": "never", "producer": {"linger.ms": "0"}},
}
CONTESTANTS = {
    "postrider": "with its defaults, but for what --set says",
    READ_ONLY: "to /dev/null: publishes nothing",
    "bare": "libpq and librdkafka with next to nothing between (bare_loop.cc), reading as soon as there is something to read",
    "bare-paced": "the same, pausing as Postrider does",
    "bare-gulp": "the same, pausing after each single read",
    "bare-eager": "the same as bare with linger.ms=0: the limit of latency",
    "debezium": "3.6.1 in a standalone worker of Kafka Connect, all as shipped",
    "debezium-tuned": "larger batches and queues, five requests in flight: TUNED in contestants.py",
}


def make(name, site, slot, publication=PUBLICATION, expand=False, end_lsn=None, settings=None):
    """`end_lsn`: for what only reads; `settings`: more of Postrider's."""
    converters = EXPANDED if expand else AS_TEXT
    if name == "postrider":
        return postrider(site, slot, publication, converters | (settings or {}))
    if name == READ_ONLY:
        return recvlogical(site, slot, publication, end_lsn)
    if name in BARE:
        return bare(site, slot, publication, **BARE[name])
    return debezium(site, slot, publication, converters | (TUNED if name == "debezium-tuned" else {}))


def chosen(text, known):
    """The names of a list with commas, all of which must be known."""
    names = text.split(",")
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.exit(f"'{unknown[0]}' is none of: {', '.join(known)}")
    return names


def pairs(words):
    """KEY=VALUE of the command line."""
    wrong = [word for word in words if "=" not in word]
    if wrong:
        sys.exit(f"'{wrong[0]}' is no KEY=VALUE")
    return dict(word.split("=", 1) for word in words)
