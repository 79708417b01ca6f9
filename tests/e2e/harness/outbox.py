"""One test's corner on shared servers: a database with an outbox, a slot's name, topics of its own, and the application that writes.

The application keeps a ledger: each transaction writes its events' ids to a second table as well, so that what was committed is known
from the database itself however the connection broke.
"""
import io
import itertools
import json
import threading
import time
import uuid

import psycopg2

from .process import ROOT, wait_for
from .relay import Relay

_numbers = itertools.count(1)

LEDGER = "CREATE TABLE public.ledger (position bigserial, id uuid PRIMARY KEY, key text NOT NULL, number bigint NOT NULL)"


class Site:
    def __init__(self, postgres, kafka, name, encoding="UTF8"):
        self.name = f"{name}_{next(_numbers)}"[-50:].lower()
        self.postgres, self.kafka = postgres, kafka
        self.database = self.slot = self.name
        self.topic = f"outbox.event.{self.name}"
        self.relays = []
        postgres.sql(f'CREATE DATABASE "{self.database}" TEMPLATE template0 ENCODING \'{encoding}\'')
        postgres.psql(ROOT / "sql" / "01-outbox.sql", self.database)
        self.sql(LEDGER)

    def sql(self, statement, parameters=None):
        return self.postgres.sql(statement, parameters, self.database)

    def connect(self, **options):
        return self.postgres.connect(self.database, **options)

    def relay(self, settings=None, **options):
        relay = Relay(self.postgres, self.kafka.bootstrap, self.database, self.slot, settings, **options)
        self.relays.append(relay)
        return relay

    def close(self):
        """Ends the relays, drops slot, database and topics, so that the shared servers stay small."""
        for relay in self.relays:
            if relay.running():
                relay.kill9()
        for server in (self.postgres, self.kafka):
            server.thaw()  # a test that failed may have left it frozen
        if self.postgres.child.running():
            self.postgres.drop_slot(self.slot)
            self.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
            self.postgres.sql(f'DROP DATABASE IF EXISTS "{self.database}"')
        if self.kafka.running():
            self.kafka.delete_topics([topic for topic in self.kafka.topics() if self.name in topic])

    # ---- writing ------------------------------------------------------------------------------------------------------

    def insert(self, rows=1, key="k", payload_bytes=0):
        """One transaction of many rows."""
        self.sql("INSERT INTO outbox (aggregatetype, aggregateid, type, payload) SELECT %s, %s, 'Placed', "
                 "jsonb_build_object('n', n, 'pad', repeat('x', %s)) FROM generate_series(1, %s) n", (self.name, key, payload_bytes, rows))

    def insert_transactions(self, count, rows=1, payload_bytes=200, key_modulo=100):
        """Many transactions, as fast as one connection commits them."""
        connection = self.connect(options="-c synchronous_commit=off")
        try:
            with connection.cursor() as cursor:
                cursor.execute("""
                    CREATE OR REPLACE PROCEDURE public.write_outbox(topic text, transactions int, per_transaction int, pad int, keys int)
                    LANGUAGE plpgsql AS $$
                    BEGIN
                      FOR t IN 1 .. transactions LOOP
                        INSERT INTO public.outbox (aggregatetype, aggregateid, type, payload)
                        SELECT topic, ((t + n) % keys)::text, 'Placed', jsonb_build_object('n', t, 'pad', repeat('x', pad))
                        FROM generate_series(1, per_transaction) n;
                        COMMIT;
                      END LOOP;
                    END $$""")
                cursor.execute("CALL public.write_outbox(%s, %s, %s, %s, %s)", (self.name, count, rows, payload_bytes, key_modulo))
        finally:
            connection.close()

    def fill_wal(self, megabytes):
        """WAL that is not ours, all of it incompressible to the server, in segments and behind a checkpoint of their own."""
        self.sql("CREATE TABLE IF NOT EXISTS filler (data text)")
        self.sql("ALTER TABLE filler ALTER data SET STORAGE EXTERNAL")
        self.sql("INSERT INTO filler SELECT repeat('x', 1048576) FROM generate_series(1, %s)", (megabytes,))
        self.sql("SELECT pg_switch_wal()")
        self.sql("CHECKPOINT")

    def rows(self):
        return self.sql("SELECT count(*) FROM outbox")[0][0]

    # ---- reading ------------------------------------------------------------------------------------------------------

    def count(self):
        return self.kafka.count([self.topic])

    def records(self):
        return self.kafka.records([self.topic])

    def wait_records(self, number, timeout_s=30):
        wait_for(lambda: self.count() >= number, timeout_s, lambda: f"{number} records; there are {self.count()}\n{self.tails()}", 0.05)
        return self.records()

    def wait_all_confirmed(self, timeout_s=60):
        """Until everything written so far is published and confirmed."""
        end = self.postgres.value("SELECT pg_current_wal_lsn()::text")
        wait_for(lambda: self.postgres.value("SELECT confirmed_flush_lsn >= %s::pg_lsn FROM pg_replication_slots WHERE slot_name = %s",
                                             (end, self.slot)), timeout_s, lambda: f"{end} confirmed\n{self.tails()}")

    def wait_confirmed(self, below_bytes=16 * 1024, timeout_s=10):
        wait_for(lambda: self.postgres.unconfirmed_bytes(self.slot) < below_bytes, timeout_s,
                 lambda: f"the slot's lag below {below_bytes}; it is {self.postgres.unconfirmed_bytes(self.slot)}\n{self.tails()}")

    def tails(self):
        return "\n".join(relay.child.tail() for relay in self.relays if relay.child)


class Writer:
    """An application under load: threads that insert in every way there is, through lost connections, until stopped.

    `deletes=False`: no row is deleted, so that a snapshot finds them all."""

    ROWS_MAX = 40  # of one transaction

    def __init__(self, site, threads=3, transactions_per_s=150, deletes=True):
        self.site, self.pause_s = site, threads / transactions_per_s
        self._shapes = [self._single, self._several, self._copy, self._rolled_back, self._savepoint]
        if deletes:
            self._shapes.insert(2, self._insert_and_delete)
        self._stopping = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(f"k{n}",), daemon=True) for n in range(threads)]

    def start(self):
        for thread in self._threads:
            thread.start()
        return self

    def stop(self):
        self._stopping.set()
        for thread in self._threads:
            thread.join(60)
            assert not thread.is_alive(), "a writer hangs"

    def committed(self):
        """key -> ids in commit order. One thread writes one key, so its numbers are its commit order."""
        found = {}
        for key, event in self.site.sql("SELECT key, id::text FROM ledger ORDER BY key, number"):
            found.setdefault(key, []).append(event)
        return found

    def check_everything_arrived(self, at_least=100, timeout_s=90):
        """Stops. Every id that was committed is there and no other, first occurrences in commit order per key, the lag is gone; the repeats."""
        self.stop()
        self.site.wait_all_confirmed(timeout_s)
        self.site.wait_confirmed()
        records, committed = self.site.records(), self.committed()
        arrived = first_occurrences(records)
        assert sum(len(events) for events in committed.values()) >= at_least, "the load was too small to tell anything"
        for key in committed:
            missing = set(committed[key]) - set(arrived.get(key, ()))
            assert not missing, f"{len(missing)} of {len(committed[key])} events of {key} never arrived"
            assert arrived[key] == committed[key], f"the order of {key} is not the commit order, or an event was never committed"
        return len(records) - sum(len(events) for events in arrived.values())

    def _run(self, key):
        numbers, connection = itertools.count(1), None
        shapes = itertools.cycle(self._shapes)
        while not self._stopping.is_set():
            try:
                connection = connection or self._open()
                next(shapes)(connection.cursor(), key, numbers)
                time.sleep(self.pause_s)
            except psycopg2.Error:
                if connection:
                    connection.close()
                connection = None
                time.sleep(0.1)
        if connection:
            connection.close()

    def _open(self):
        connection = self.site.connect(connect_timeout=5)
        connection.autocommit = False
        return connection

    def _event(self, cursor, key, numbers, ledger=True):
        number, event = next(numbers), str(uuid.uuid4())
        cursor.execute("INSERT INTO outbox (id, aggregatetype, aggregateid, type, payload) VALUES (%s, %s, %s, 'Placed', %s)",
                       (event, self.site.name, key, json.dumps({"number": number, "key": key})))
        if ledger:
            cursor.execute("INSERT INTO ledger (id, key, number) VALUES (%s, %s, %s)", (event, key, number))
        return event

    def _single(self, cursor, key, numbers):
        self._event(cursor, key, numbers)
        cursor.connection.commit()

    def _several(self, cursor, key, numbers):
        for _ in range(7):
            self._event(cursor, key, numbers)
        cursor.connection.commit()

    def _insert_and_delete(self, cursor, key, numbers):
        for _ in range(2):
            cursor.execute("DELETE FROM outbox WHERE id = %s", (self._event(cursor, key, numbers),))
        cursor.connection.commit()

    def _copy(self, cursor, key, numbers):
        rows = [(next(numbers), str(uuid.uuid4())) for _ in range(self.ROWS_MAX)]
        events = "".join(f'{event}\t{self.site.name}\t{key}\tPlaced\t{{"number": {number}}}\n' for number, event in rows)
        cursor.copy_expert("COPY outbox (id, aggregatetype, aggregateid, type, payload) FROM STDIN", io.StringIO(events))
        cursor.copy_expert("COPY ledger (id, key, number) FROM STDIN", io.StringIO("".join(f"{event}\t{key}\t{number}\n" for number, event in rows)))
        cursor.connection.commit()

    def _rolled_back(self, cursor, key, numbers):
        self._event(cursor, key, numbers)
        cursor.connection.rollback()

    def _savepoint(self, cursor, key, numbers):
        self._event(cursor, key, numbers)
        cursor.execute("SAVEPOINT half")
        self._event(cursor, key, numbers)
        cursor.execute("ROLLBACK TO SAVEPOINT half")
        self._event(cursor, key, numbers)
        cursor.connection.commit()


def first_occurrences(records):
    """key -> ids in the order in which a consumer first sees them."""
    found, seen = {}, set()
    for record in records:  # ordered by partition and offset; one key is in one partition
        if record.id not in seen:
            seen.add(record.id)
            found.setdefault(record.key.decode(), []).append(record.id)
    return found
