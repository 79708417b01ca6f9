"""What is written for the contestants to read: named loads on the outbox table of sql/01-outbox.sql."""
import dataclasses
import json
import random

PUBLICATION = "bench"


def words(size, seed=7):
    """Text of `size` bytes that compresses as prose does (PostgreSQL compresses values above 2 kB)."""
    choose = random.Random(seed)
    vocabulary = ["".join(choose.choices("etaoinshrdlucmfwypvbgkq", k=choose.randint(2, 9))) for _ in range(2000)]
    text = ""
    while len(text) < size:
        text += " ".join(choose.choices(vocabulary, k=200)) + " "
    return text[:size]


ORDER = {"total": 99.00, "customer": {"id": 7, "name": "Jane Doe", "email": "jane.doe@example.org"}, "currency": "EUR",
         "lines": [{"sku": "A-1001", "price": 19.99, "quantity": 2}, {"sku": "B-2002", "price": 59.02, "quantity": 1}],
         "eventVersion": 1, "placedAt": "2026-01-02T03:04:05Z"}


@dataclasses.dataclass(frozen=True)
class Load:
    name: str
    says: str
    transactions: int
    rows: int = 1  # a transaction
    remove: bool = True  # each row is deleted again in its transaction
    payload: dict = dataclasses.field(default_factory=lambda: {"total": 12.5, "pad": words(200)})
    topics: int = 1
    partitions: int = 4  # a topic
    noise: int = 0  # rows of a table that is not published, in a transaction of their own after each of the outbox
    expand: bool = False  # JSON expansion, JsonConverter with schemas

    @property
    def events(self):
        return self.transactions * self.rows

    def scaled(self, scale):
        return dataclasses.replace(self, transactions=max(1, round(self.transactions * scale)))

    def topic_names(self, prefix):
        return [f"{prefix}.order{number}" for number in range(self.topics)]


LOADS = {load.name: load for load in (
    Load("one-row", "one row a transaction, inserted and deleted, payload about 240 bytes", 300_000),
    Load("hundred-rows", "100 rows a transaction, inserted", 5_000, rows=100, remove=False),
    Load("payload-1kb", "one row a transaction, payload of 1 kB", 150_000, payload={"pad": words(1_000)}),
    Load("payload-20kb", "one row a transaction, payload of 20 kB", 20_000, payload={"pad": words(20_000)}),
    Load("expand", "one row a transaction, JSON expansion with schemas", 150_000, payload=ORDER, expand=True),
    Load("topics-200", "one row a transaction, 200 topics of one partition", 150_000, topics=200, partitions=1),
    Load("partitions-200", "one row a transaction, one topic of 200 partitions", 150_000, partitions=200),
    Load("unpublished", "one row a transaction, each followed by a transaction of 20 rows in a table that is not published", 50_000, noise=20),
)}

TABLES = f"""
CREATE PUBLICATION {PUBLICATION} FOR TABLE public.outbox WITH (publish = 'insert');
CREATE TABLE public.noise (number int, note text);
CREATE PROCEDURE public.load(transactions int, per_transaction int, payload jsonb, topics int, remove boolean, noise int) LANGUAGE plpgsql AS $$
DECLARE made uuid[];
BEGIN
  FOR t IN 1 .. transactions LOOP
    WITH written AS (
      INSERT INTO public.outbox (aggregatetype, aggregateid, type, payload)
      SELECT 'order' || (t * 31 + n) % topics, ((t * 31 + n) % 1009)::text, 'Placed', payload || jsonb_build_object('orderId', t)
      FROM generate_series(1, per_transaction) n RETURNING id)
    SELECT array_agg(id) INTO made FROM written;
    IF remove THEN DELETE FROM public.outbox WHERE id = ANY (made); END IF;
    COMMIT;
    IF noise > 0 THEN
      INSERT INTO public.noise SELECT n, 'a row that nobody subscribed to' FROM generate_series(1, noise) n;
      COMMIT;
    END IF;
  END LOOP;
END $$"""


def prepare(site):
    site.sql(TABLES)


def write(site, load):
    """Writes it whole; the position in the log behind it."""
    connection = site.connect(options="-c synchronous_commit=off")
    connection.cursor().execute("CALL public.load(%s, %s, %s, %s, %s, %s)",
                                (load.transactions, load.rows, json.dumps(load.payload), load.topics, load.remove, load.noise))
    connection.close()
    site.sql("TRUNCATE public.outbox, public.noise")
    site.postgres.sql("CHECKPOINT")
    return site.postgres.value("SELECT pg_current_wal_insert_lsn()::text")
