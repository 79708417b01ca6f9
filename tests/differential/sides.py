"""The two sides of the comparison, on one PostgreSQL: Debezium in a Connect worker with a broker, Postrider with another broker.

A plan has a database of its own; each side a slot and a publication there.
"""
import concurrent.futures
import dataclasses
import pathlib
import signal
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))

import psycopg2  # noqa: E402
from confluent_kafka import TopicPartition  # noqa: E402
from confluent_kafka.admin import OffsetSpec  # noqa: E402
from harness import Kafka, Postgres, cleanup, new_folder, wait_for  # noqa: E402
from harness.process import Child  # noqa: E402
from harness.relay import binary, clean_environment, write_properties  # noqa: E402
from worker import Worker  # noqa: E402

TEMPLATE = "with_extensions"
START_TIMEOUT_S, PUBLISH_TIMEOUT_S = 60, 45


@dataclasses.dataclass
class Outcome:
    """What one side did. `refused`: it did not start, or stopped for good."""
    records: list
    t0: int
    t1: int
    refused: str = ""
    failures: list = dataclasses.field(default_factory=list)  # Debezium: one text a record it could not publish


class Sides:
    def __init__(self):
        self.postgres = Postgres(15, {"max_replication_slots": "200", "max_wal_senders": "200", "max_connections": "300", "wal_sender_timeout": "0",
                                      "autovacuum": "off", "full_page_writes": "off", "synchronous_commit": "off", "max_wal_size": "8GB"})
        small = {"log.retention.ms": "-1", "log.message.timestamp.after.max.ms": str(2 ** 63 - 1)}
        self.kafka = {"debezium": Kafka(small), "postrider": Kafka(small)}
        self.worker = Worker(self.kafka["debezium"].bootstrap)
        self.postgres.sql(f"CREATE DATABASE {TEMPLATE} TEMPLATE template0")
        for extension in ("citext", "hstore", "ltree"):
            self.postgres.sql(f"CREATE EXTENSION {extension}", database=TEMPLATE)
        self.pool = concurrent.futures.ThreadPoolExecutor(16)
        self.attempt = 0

    def close(self):
        self.pool.shutdown(wait=True, cancel_futures=True)
        for child in (self.worker.child, *(kafka.child for kafka in self.kafka.values()), self.postgres.child):
            child.kill9()

    # ---- one batch ----------------------------------------------------------------------------------------------------

    def run(self, plans):
        """(Debezium's outcome, Postrider's outcome) of each plan. All at once."""
        self.attempt += 1
        runs = [Run(self, plan, f"d{plan.number}_{self.attempt}") for plan in plans]
        try:
            self.each(runs, Run.prepare)
            self.each(runs, Run.start_debezium)
            for run in runs:
                run.start_postrider()  # here: children are started by the main thread
            self.each(runs, Run.write)
            self.each(runs, Run.wait)
            for run in runs:
                run.stop_postrider()
            return self.collect(runs)
        finally:
            self.pool.submit(self.clear, runs)

    def each(self, runs, step):
        list(self.pool.map(step, runs))

    def collect(self, runs):
        tokens = [run.plan.token for run in runs]
        records = {}
        for side, kafka in self.kafka.items():
            topics = [topic for topic in kafka.topics() if any(token in topic for token in tokens)]
            records[side] = kafka.records(topics)
        for run in runs:
            for side, outcome in (("debezium", run.debezium), ("postrider", run.postrider)):
                outcome.records = [record for record in records[side] if run.plan.token in record.topic]
        return [(run.debezium, run.postrider) for run in runs]

    def count(self, side, token):
        admin = self.kafka[side].admin
        places = [TopicPartition(topic.topic, partition) for topic in admin.list_topics(timeout=20).topics.values() if token in topic.topic
                  for partition in topic.partitions]
        if not places:
            return 0
        offsets = admin.list_offsets({place: OffsetSpec.latest() for place in places})
        try:
            return sum(future.result(20).offset for future in offsets.values())
        except Exception:  # a topic just made may have no leader yet
            return 0

    def clear(self, runs):
        for run in runs:
            run.clear()
        for side, kafka in self.kafka.items():
            topics = [topic for topic in kafka.topics() if any(run.plan.token in topic for run in runs)]
            kafka.delete_topics(topics)


class Run:
    """One plan on its way through both sides."""

    def __init__(self, sides, plan, database):
        self.sides, self.plan, self.database = sides, plan, database
        self.postgres = sides.postgres
        self.debezium, self.postrider = Outcome([], 0, 0), Outcome([], 0, 0)
        self.relay, self.rows = None, 0

    def slot(self, side):
        return f"{self.database}_{side}"

    def sql(self, statement):
        return self.postgres.sql(statement, database=self.database)

    def prepare(self):
        self.postgres.sql(f"CREATE DATABASE {self.database} TEMPLATE {TEMPLATE}")
        connection = self.postgres.connect(self.database)
        with connection.cursor() as cursor:
            self.execute(cursor, self.plan.setup())
            for side in ("debezium", "postrider"):
                cursor.execute(f"CREATE PUBLICATION {self.slot(side)} FOR TABLE public.outbox")
                if not self.snapshot:
                    cursor.execute("SELECT pg_create_logical_replication_slot(%s, 'pgoutput')", (self.slot(side),))
        connection.close()

    def execute(self, cursor, statements):
        """A row that the server refuses is left out, on both sides alike."""
        for statement in statements:
            try:
                cursor.execute(statement)
            except psycopg2.Error as error:
                if not statement.startswith("INSERT"):
                    raise
                print(f"configuration {self.plan.number}: {str(error).splitlines()[0]}", file=sys.stderr)

    @property
    def snapshot(self):
        return self.plan.config["snapshot.mode"] == "initial"

    def config(self, side):
        return self.plan.config | {
            "topic.prefix": f"app{self.plan.number}", "database.hostname": "127.0.0.1", "database.port": str(self.postgres.port),
            "database.user": "postgres", "database.password": "unused", "database.dbname": self.database, "slot.name": self.slot(side),
            "publication.name": self.slot(side), "publication.autocreate.mode": "disabled"}

    def start_debezium(self):
        self.debezium.t0 = int(time.time() * 1000)
        config = self.config("debezium") | {"tasks.max": "1", "errors.log.enable": "true"}
        self.debezium.refused = self.sides.worker.create(self.database, config)
        if not self.debezium.refused:
            wait_for(lambda: self.postgres.streaming_pid(self.slot("debezium")) or self.failed(), START_TIMEOUT_S, f"{self.database} streams", 0.05)

    def failed(self):
        self.debezium.refused = self.debezium.refused or self.sides.worker.failure(self.database)
        return self.debezium.refused

    def start_postrider(self):
        self.postrider.t0 = int(time.time() * 1000)
        folder = new_folder(f"postrider-{self.database}")
        settings = self.config("postrider") | {"bootstrap.servers": self.sides.kafka["postrider"].bootstrap}
        file = write_properties(folder / "relay.properties", settings)
        self.relay = Child(self.database, [binary(), "run", file], folder / "log", env=clean_environment())

    def write(self):
        wait_for(lambda: not self.relay.running() or self.postgres.streaming_pid(self.slot("postrider")), START_TIMEOUT_S, "Postrider streams")
        connection = self.postgres.connect(self.database)
        with connection.cursor() as cursor:
            self.execute(cursor, self.plan.sql())
            cursor.execute("SELECT count(*) FROM public.outbox WHERE n >= 0")
            self.rows = len(self.plan.rows) if self.plan.others else cursor.fetchone()[0]
            cursor.execute("SELECT pg_current_wal_insert_lsn()::text")
            self.end = cursor.fetchone()[0]
        connection.close()

    def wait(self):
        """Until both have published what they will."""
        deadline = time.monotonic() + PUBLISH_TIMEOUT_S
        done = {"debezium": False, "postrider": False}
        while not all(done.values()) and time.monotonic() < deadline:
            done["postrider"] = done["postrider"] or self.postrider_done()
            done["debezium"] = done["debezium"] or self.debezium_done()
            time.sleep(0.05)
        self.debezium.t1 = self.postrider.t1 = int(time.time() * 1000)
        for side, whole in done.items():
            outcome = getattr(self, side)
            outcome.refused = outcome.refused or ("" if whole else "not done in time")

    def debezium_done(self):
        if self.debezium.refused:
            return True
        self.debezium.failures = self.sides.worker.failures(self.database)
        return self.sides.count("debezium", self.plan.token) + len(self.debezium.failures) >= self.rows or bool(self.failed())

    def postrider_done(self):
        if not self.relay.running():
            self.postrider.refused = f"exit code {self.relay.process.returncode}: {self.relay.output()[-600:]}"
            return True
        held = [line for line in self.said("held") if "code=unknown_topic" not in line]  # a busy broker is slow to make one
        if held:
            self.postrider.refused = held[0]
            return True
        return self.postgres.value("SELECT confirmed_flush_lsn >= %s::pg_lsn FROM pg_replication_slots WHERE slot_name = %s",
                                   (self.end, self.slot("postrider")))

    def stop_postrider(self):
        self.relay.signal(signal.SIGTERM)
        self.relay.wait(20)
        self.postrider.failures = self.said("skipped")

    def said(self, event):
        return [line for line in self.relay.output().splitlines() if f" ERROR {event} " in line]

    def clear(self):
        self.sides.worker.delete(self.database)
        for side in ("debezium", "postrider"):
            self.postgres.drop_slot(self.slot(side))
        self.postgres.sql(f"DROP DATABASE IF EXISTS {self.database} WITH (FORCE)")
