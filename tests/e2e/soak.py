#!/usr/bin/env python3
"""The long proof: relay, PostgreSQL and broker killed hundreds of times under load, and every event counted.

usage: tests/e2e/soak.py [--kills N] [--seed N] [--minutes-max N] [--output NAME]

Two thirds of the kills hit the relay, a sixth each PostgreSQL and the broker, in an order that the seed decides; each is kill -9 of the whole
process tree, and comes only after a consumer has seen 500 new events on the topic since the last one. Meanwhile one writer commits transactions of
1 to 50 rows over several keys; some are rolled back, some delete what they inserted. In the end: no committed id is missing, none is there that was
never committed, the first occurrences of each key are in commit order, the lag is gone, and a restart repeats nothing. What came twice is counted for
each kill. The figures go to build/evidence/soak.json; the relay is build/release/postrider, or $POSTRIDER_BINARY. Exit code 1 when anything failed.
Wants the Python of .deps/venv.
"""
import argparse
import itertools
import json
import pathlib
import random
import signal
import statistics
import subprocess
import sys
import threading
import time
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "lib"))

import confluent_kafka  # noqa: E402
import evidence  # noqa: E402
import psycopg2  # noqa: E402
from confluent_kafka import Consumer, TopicPartition  # noqa: E402

from harness import ExitCode, Kafka, Postgres, Site, cleanup, wait_for  # noqa: E402
from harness.outbox import Writer  # noqa: E402
from harness.relay import binary  # noqa: E402

EVENTS_BETWEEN_KILLS = 500
KEYS = [f"k{n}" for n in range(16)]
ROWS_MAX = 50
EVENTS_PER_S = 150
SEEN_WITHIN_S = 180  # after a kill, the next 500 events
PARTITIONS = 4


class OneWriter(Writer):
    """One connection, several keys in each transaction, sizes and fates drawn from the seed."""

    def __init__(self, site, seed):
        super().__init__(site, threads=0)
        self._random = random.Random(seed)
        self._threads = [threading.Thread(target=self._run, args=(None,), daemon=True)]
        self._shapes = [self._transaction]
        self.told, self.transactions, self.rolled_back, self.deleted = set(), 0, 0, 0

    def _transaction(self, cursor, _key, numbers):
        rows = self._random.choice((1, 1, 2, 5, self._random.randint(1, ROWS_MAX)))
        fate = self._random.choices(("commit", "delete", "roll back"), (6, 3, 1))[0]
        events = [self._event(cursor, self._random.choice(KEYS), numbers) for _ in range(rows)]
        if fate == "delete":
            cursor.execute("DELETE FROM outbox WHERE id = ANY (%s::uuid[])", (events,))
        if fate == "roll back":
            cursor.connection.rollback()
            self.rolled_back += 1
        else:
            cursor.connection.commit()
            self.told.update(events)  # only now: what a broken commit did, the ledger knows
            self.transactions += 1
            self.deleted += fate == "delete"
        self.pause_s = rows / EVENTS_PER_S


class Watcher:
    """A consumer that counts what is in the topic: new ids, and those that it has seen before."""

    def __init__(self, site):
        self.new = self.repeated = 0
        self._seen, self._next = set(), {}
        self._consumer = Consumer({"bootstrap.servers": site.kafka.bootstrap, "group.id": "soak", "enable.auto.commit": False, "log_level": 0,
                                   "auto.offset.reset": "error", "fetch.wait.max.ms": 50, "reconnect.backoff.max.ms": 500})
        self._consumer.assign([TopicPartition(site.topic, partition, 0) for partition in range(PARTITIONS)])
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self):
        self._stopping.set()
        self._thread.join(30)
        self._consumer.close()

    def _run(self):
        while not self._stopping.is_set():
            for message in self._consumer.consume(1000, timeout=0.1):
                if not message.error() and message.offset() >= self._next.get(message.partition(), 0):
                    self._next[message.partition()] = message.offset() + 1
                    self._count(next(value for name, value in message.headers() if name == "id"))

    def _count(self, event):
        number = uuid.UUID(event.decode()).int
        if number in self._seen:
            self.repeated += 1
        else:
            self._seen.add(number)
            self.new += 1


class Soak:
    def __init__(self, kills, seed):
        self._random = random.Random(seed)
        self.victims = ["relay"] * (kills - 2 * (kills // 6)) + ["postgres"] * (kills // 6) + ["broker"] * (kills // 6)
        self._random.shuffle(self.victims)
        self.site = Site(Postgres(15), Kafka(), "soak")
        self.site.kafka.create_topic(self.site.topic, PARTITIONS)
        self.relay = self.site.relay({"snapshot.mode": "no_data"}).start()
        self.watcher = Watcher(self.site)
        self.writer = OneWriter(self.site, seed).start()
        self.kills = []  # (victim, ids that came again between this kill and the next)

    def run(self, deadline):
        for number, victim in enumerate(self.victims, 1):
            self._wait_events()
            if time.monotonic() > deadline:
                break
            repeated = self.watcher.repeated
            self._kill(victim)
            self.kills.append([victim, repeated])
            if number % 10 == 0:
                print(f"{number:4} kills, {self.watcher.new} events seen, {self.watcher.repeated} came again", flush=True)
        self._wait_events()

    def judge(self):
        """The figures; AssertionError when a promise was broken."""
        self.writer.check_everything_arrived(timeout_s=180)
        committed = {event for events in self.writer.committed().values() for event in events}
        assert self.writer.told <= committed, "PostgreSQL itself lost a transaction that it had confirmed"
        records = self.site.count()
        wait_for(lambda: self.watcher.new + self.watcher.repeated == records, 60, "the consumer has seen every record")
        self._check_restart(records)
        starts = [repeated for _victim, repeated in self.kills] + [self.watcher.repeated]
        repeats = [after - before for before, after in itertools.pairwise(starts)]
        return {
            "events_committed": len(committed), "records": records, "missing": 0, "never_committed": 0, "keys": len(KEYS), "keys_out_of_order": 0,
            "lag_bytes": self.site.postgres.unconfirmed_bytes(self.site.slot),
            "transactions": self.writer.transactions, "rolled_back": self.writer.rolled_back, "inserted_and_deleted": self.writer.deleted,
            "repeats": self.watcher.repeated, "repeats_per_kill": {"all": spread(repeats)} | {
                victim: spread([count for count, (hit, _) in zip(repeats, self.kills) if hit == victim]) for victim in ("relay", "postgres", "broker")},
        }

    def counts(self):
        return {victim: sum(hit == victim for hit, _ in self.kills) for victim in ("relay", "postgres", "broker")}

    def _wait_events(self):
        """500 new ones on the topic since the last kill, then a moment more, so that kills fall anywhere."""
        wanted = self.watcher.new + EVENTS_BETWEEN_KILLS
        wait_for(lambda: self.watcher.new >= wanted or not self.relay.running(), SEEN_WITHIN_S,
                 lambda: f"{wanted} events seen; there are {self.watcher.new}\n{self.site.tails()}", 0.02)
        time.sleep(self._random.uniform(0, 1))
        assert self.relay.running(), f"the relay ended by itself with {self.relay.child.process.returncode}\n{self.relay.child.tail()}"

    def _kill(self, victim):
        if victim == "relay":
            self.relay.kill9()
            self.relay.start(wait=False)
            return
        server = self.site.postgres if victim == "postgres" else self.site.kafka
        server.kill9()
        time.sleep(self._random.uniform(0, 1))
        server.start()

    def _check_restart(self, records):
        assert self.relay.stop() == ExitCode.STOPPED
        self.relay.start()
        time.sleep(2)
        assert self.relay.stop() == ExitCode.STOPPED
        assert self.site.count() == records, "a restart after a clean stop repeated events"


def spread(counts):
    return {"kills": len(counts), "mean": round(statistics.mean(counts), 1), "max": max(counts)} if counts else {"kills": 0}


def version():
    return subprocess.run([binary(), "version"], capture_output=True, text=True).stdout.split("\n")[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes-max", type=float, default=120)
    parser.add_argument("--output", default="soak", help="name of the file in build/evidence")
    options = parser.parse_args()
    begun = time.monotonic()
    soak = Soak(options.kills, options.seed)
    figures = {"seed": options.seed, "kills_wanted": options.kills, "events_between_kills": EVENTS_BETWEEN_KILLS, "failed": None}
    try:
        soak.run(begun + options.minutes_max * 60)
        figures |= soak.judge()
        if len(soak.kills) < options.kills:
            figures["failed"] = f"cut short after {options.minutes_max:g} minutes"
    except (AssertionError, TimeoutError, psycopg2.Error, confluent_kafka.KafkaException) as error:
        figures["failed"] = f"{type(error).__name__}: {error}"
    figures |= {"kills": soak.counts(), "minutes": round((time.monotonic() - begun) / 60, 1), "postrider": version(),
                "postgres": soak.site.postgres.value("SHOW server_version") if soak.site.postgres.answers() else None}
    command = f"tests/e2e/soak.py --kills {options.kills} --seed {options.seed}"
    print(evidence.keep(options.output, command, figures).read_text())
    return 1 if figures["failed"] else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
    try:
        sys.exit(main())
    finally:
        cleanup()
