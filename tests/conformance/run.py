#!/usr/bin/env python3
"""Runs recorded cases against the relay: what Debezium 3.6.1 wrote for the same rows, record by record and byte by byte.

usage: run.py [-v] [--postgres VERSION] [--every N] [--cases FOLDER] [NAME-PREFIX ...]

It starts a PostgreSQL and a Kafka of its own, and ends them. Each case gets a fresh database; the relay is build/release/postrider
(or $POSTRIDER_BINARY). A line is printed for each case that differs and, last, 'N passed, N failed'.
"""
import argparse
import json
import pathlib
import signal
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))

import psycopg2  # noqa: E402
from compare import as_recorded, differences  # noqa: E402
from harness import Kafka, Postgres, cleanup, new_folder  # noqa: E402
from harness.process import Child  # noqa: E402
from harness.relay import binary, clean_environment, write_properties  # noqa: E402

DATABASE, SLOT = "recorded", "oracle"
START_TIMEOUT_S, STOP_TIMEOUT_S, DEFAULT_WAIT_S, HOLD_S = 10, 15, 15, 3


class Bench:
    """The two servers and one case at a time."""

    def __init__(self, version):
        self.postgres, self.kafka = Postgres(version), Kafka()

    def sql(self, statement):
        return self.postgres.sql(statement, database=DATABASE)

    def wipe(self):
        self.postgres.drop_slot(SLOT)
        self.postgres.sql(f"DROP DATABASE IF EXISTS {DATABASE}")
        self.postgres.sql(f"CREATE DATABASE {DATABASE} TEMPLATE template0")
        self.postgres.sql("ALTER ROLE postgres RESET ALL")
        self.kafka.delete_topics(self.kafka.topics())

    def configuration(self, case):
        return {
            "connector.class": "io.debezium.connector.postgresql.PostgresConnector", "plugin.name": "pgoutput", "topic.prefix": "app",
            "database.hostname": "127.0.0.1", "database.port": self.postgres.port, "database.user": "postgres",
            "database.password": "unused", "database.dbname": DATABASE, "table.include.list": "public.outbox", "transforms": "outbox",
            "transforms.outbox.type": "io.debezium.transforms.outbox.EventRouter", "slot.name": SLOT, "poll.interval.ms": "20",
            "slot.drop.on.stop": "false", "bootstrap.servers": self.kafka.bootstrap,
            "key.converter": "org.apache.kafka.connect.storage.StringConverter",
            "value.converter": "org.apache.kafka.connect.json.JsonConverter",
        } | case["config"]

    def count(self):
        return self.kafka.count(self.kafka.topics())

    def confirmed(self, lsn):
        return self.postgres.value("SELECT confirmed_flush_lsn >= %s::pg_lsn FROM pg_replication_slots WHERE slot_name = %s", (lsn, SLOT))

    def run(self, case):
        """What happened, as compare.differences takes it."""
        self.wipe()
        for statement in case["setup"]:
            self.sql(statement)
        folder = new_folder("case")
        file = write_properties(folder / "relay.properties", self.configuration(case) | {"postrider.state.file": folder / "state.json"})
        got = {"t0": int(time.time() * 1000)}
        relay = Child(case["name"], [binary(), "run", file], folder / "log", env=clean_environment())
        try:
            self.await_stream(relay)
            for statement in case["sql"]:
                try:
                    self.sql(statement)
                except psycopg2.Error:
                    pass  # some recordings have statements that the server refuses
            self.await_records(case, relay, got)
            got["running"] = relay.running()
        finally:
            relay.signal(signal.SIGTERM)
            try:
                got["exit"] = relay.wait(STOP_TIMEOUT_S)
            except TimeoutError:
                got["exit"] = None
                relay.kill9()
            for statement in case.get("teardown", []):
                self.sql(statement)
        records = self.kafka.records(self.kafka.topics())
        return got | {"t1": int(time.time() * 1000), "records": [as_recorded(record) for record in records], "output": relay.output()}

    def await_stream(self, relay):
        deadline = time.monotonic() + START_TIMEOUT_S
        while relay.running() and not self.postgres.streaming_pid(SLOT) and time.monotonic() < deadline:
            time.sleep(0.03)

    def await_records(self, case, relay, got):
        """Until what is expected is there and all is confirmed, or the relay ended, or a held event was given its time."""
        expect, wanted = case["expect"], len(case["expect"].get("records", []))
        after = self.postgres.value("SELECT pg_current_wal_lsn()::text")
        deadline = time.monotonic() + case.get("wait", DEFAULT_WAIT_S)
        if expect.get("holds"):
            while relay.running() and time.monotonic() < deadline and not (self.count() >= wanted and self.says(expect, relay)):
                time.sleep(0.1)
            before = self.count()
            time.sleep(HOLD_S)
            got |= {"records_later": self.count() - before, "confirmed_past": self.confirmed(after)}
            return
        while relay.running() and time.monotonic() < deadline:
            if not expect.get("stops") and self.confirmed(after) and self.count() >= wanted:
                return
            time.sleep(0.05)

    @staticmethod
    def says(expect, relay):
        return all(word.lower() in relay.output().lower() for word in expect.get("says", []))


def selected(folder, prefixes):
    cases = [json.loads(file.read_text()) for file in sorted(folder.glob("*.json"))]
    for prefix in prefixes:
        if not any(case["name"].startswith(prefix) for case in cases):
            sys.exit(f"run.py: no case in {folder} begins with {prefix}")
    return [case for case in cases if not prefixes or case["name"].startswith(tuple(prefixes))]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("-v", action="store_true", help="all differences, and the cases that are the same")
    arguments.add_argument("--postgres", type=int, default=15, metavar="VERSION")
    arguments.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth of the cases")
    arguments.add_argument("--cases", type=pathlib.Path, default=HERE / "cases", metavar="FOLDER")
    arguments.add_argument("prefixes", nargs="*", metavar="NAME-PREFIX")
    options = arguments.parse_args()
    cases = selected(options.cases, options.prefixes)[::options.every]
    if not cases:
        sys.exit(f"run.py: no cases in {options.cases}")

    bench, failed = Bench(options.postgres), 0
    for case in cases:
        try:
            found = differences(case, bench.run(case))
        except Exception as error:  # a case that breaks a server must not hide the others
            found = [repr(error)]
        failed += bool(found)
        if found:
            print("DIFFERS", case["name"], *(f"\n    {line}" for line in (found if options.v else [found[0][:300]])), flush=True)
        elif options.v:
            print("same   ", case["name"], flush=True)
    cleanup()
    print(f"{len(cases) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
