"""The demo: a shop places orders; each record is shown as kcat and SQL see it, with the time from commit to arrival."""
import os
import pathlib
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

from harness import Child, Kafka, Postgres, cleanup, new_folder, wait_for  # noqa: E402
from harness.consume import Listener  # noqa: E402
from harness.relay import clean_environment  # noqa: E402

TOPIC, SLOT = "outbox.event.order", "outbox"
COMMAND = ["build/release/postrider", "run", "examples/outbox.properties", "examples/local.properties"]
SHOP = "CREATE TABLE orders (id int PRIMARY KEY, customer text NOT NULL, total numeric(10,2) NOT NULL);"

INSERT = """INSERT INTO orders VALUES ({id}, '{customer}', {total});
INSERT INTO outbox (aggregatetype, aggregateid, type, payload)
  VALUES ('order', '{id}', 'OrderPlaced', '{{"orderId": {id}, "customer": "{customer}", "total": {total}}}');"""

proved = []
latencies_ms = []


def title(text):
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n== {text}", flush=True)


def show(text, indent="    "):
    print("\n".join(indent + line for line in text.rstrip().splitlines()), flush=True)


def prove(claim, holds):
    proved.append((claim, holds))
    print(f"  {'ok' if holds else 'NO'}: {claim}", flush=True)


class Shop:
    """The application: every statement that it runs is shown."""

    def __init__(self, postgres):
        self.postgres = postgres
        postgres.sql("CREATE DATABASE shop")
        postgres.psql(ROOT / "sql" / "01-outbox.sql", "shop")
        postgres.sql(SHOP, database="shop")
        self.connection = postgres.connect("shop")

    def run(self, statements):
        """One transaction; when its COMMIT came back, in seconds."""
        show(statements)
        with self.connection.cursor() as cursor:
            cursor.execute(statements)
        return time.time()

    def psql(self, query):
        return subprocess.run(["psql", "-X", "-h", "127.0.0.1", "-p", str(self.postgres.port), "-U", "postgres", "-d", "shop", "-c", query],
                              check=True, capture_output=True, text=True).stdout


def report(shop, listener, statements, what):
    committed = shop.run(statements)
    message, arrived = listener.next(10)
    if message is None:
        prove(f"{what} reached the consumer", False)
        return
    print(f"  -> {message.topic()}[{message.partition()}] key {message.key().decode()}, {(arrived - committed) * 1000:.1f} ms after COMMIT")
    prove(f"{what} reached the consumer", True)
    latencies_ms.append((arrived - committed) * 1000)


def kcat(kafka):
    form = "partition %p, offset %o, key %k, headers %h\\n    %s\\n"
    return subprocess.run(["kcat", "-q", "-C", "-b", kafka.bootstrap, "-t", TOPIC, "-e", "-f", form], check=True, capture_output=True, text=True,
                          timeout=30).stdout


def watch_lag(postgres):
    since = time.monotonic()
    while time.monotonic() - since < 10:
        lag = postgres.unconfirmed_bytes(SLOT)
        passed = time.monotonic() - since
        print(f"  {passed:4.1f} s after the last order: {lag:,} bytes not yet confirmed", flush=True)
        if lag < 16 * 1024:
            return passed
        time.sleep(0.25)
    return None


def main():
    title("1. A PostgreSQL 15 and a Kafka 4.3 of our own")
    started = time.monotonic()
    postgres, kafka = Postgres(15), Kafka()
    print(f"  PostgreSQL on port {postgres.port}, Kafka on port {kafka.port}, up after {time.monotonic() - started:.0f} s")
    print("  The outbox is sql/01-outbox.sql. One order is placed before Postrider runs:")
    shop = Shop(postgres)
    shop.run("BEGIN;\n" + INSERT.format(id=1, customer="Ada", total="99.00") + "\nCOMMIT;")

    title("2. Postrider, with Debezium's own configuration")
    folder = new_folder("demo")
    variables = {"POSTRIDER_DATABASE_PORT": str(postgres.port), "POSTRIDER_BOOTSTRAP_SERVERS": kafka.bootstrap,
                 "POSTRIDER_STATE_FILE": str(folder / "state.json")}
    print("  examples/outbox.properties:")
    show((ROOT / "examples" / "outbox.properties").read_text())
    print("  The command (the variables stand for keys of examples/local.properties, because ports and folders are not the usual ones):")
    show(" ".join(f"{name}={value}" for name, value in variables.items()) + " \\\n  " + " ".join(COMMAND))
    relay = Child("postrider", COMMAND, folder / "postrider.log", env=clean_environment(variables), cwd=ROOT)
    wait_for(lambda: not relay.running() or postgres.streaming_pid(SLOT), 60, lambda: f"Postrider streams\n{relay.tail()}", 0.01)
    print("  What it says:")
    show(relay.output())
    if not relay.running():
        sys.exit("demo: Postrider ended; its last line says why")
    wait_for(lambda: TOPIC in kafka.topics() and kafka.count([TOPIC]) == 1, 20, "the first order in Kafka")
    prove("the order that was already in the table was published first", True)

    title("3. Orders")
    listener = Listener(kafka.bootstrap, TOPIC)
    print("  A plain one:")
    report(shop, listener, "BEGIN;\n" + INSERT.format(id=2, customer="Grace", total="12.50") + "\nCOMMIT;", "order 2")
    print("  One whose outbox row is deleted in the same transaction, so that the table stays empty:")
    report(shop, listener, "BEGIN;\n" + INSERT.format(id=3, customer="Edsger", total="7.25") + "\nDELETE FROM outbox WHERE aggregateid = '3';\nCOMMIT;",
           "order 3")
    print("  One that is rolled back:")
    shop.run("BEGIN;\n" + INSERT.format(id=4, customer="Nobody", total="1.00") + "\nROLLBACK;")
    prove("the order that was rolled back did not reach the consumer", listener.next(1) == (None, None))
    print("  And one more, to see that it goes on:")
    report(shop, listener, "BEGIN;\n" + INSERT.format(id=5, customer="Barbara", total="64.00") + "\nCOMMIT;", "order 5")

    print(f"  From COMMIT to the consumer: {min(latencies_ms, default=0):.1f} ms at best (a machine that still compiles is slower).")

    title("4. The slot: everything is confirmed")
    passed = watch_lag(postgres)
    prove("the slot's lag fell below 16 kB within 2 s", passed is not None and passed < 2)

    title("5. As kcat sees it")
    print(f"  kcat -C -b {kafka.bootstrap} -t {TOPIC} -e")
    records = kcat(kafka)
    show(records)
    keys = sorted(line.split("key ")[1].split(",")[0] for line in records.splitlines() if line.startswith("partition"))
    prove("Kafka has orders 1, 2, 3 and 5, each once", keys == ["1", "2", "3", "5"])

    title("6. As SQL sees it")
    for query in ("SELECT aggregateid, type, payload FROM outbox ORDER BY created_at",
                  "SELECT slot_name, active, wal_status, pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn) AS unconfirmed_bytes "
                  "FROM pg_replication_slots"):
        print(f"  {query};")
        show(shop.psql(query))

    title("7. Stopping")
    memory, started = relay.status_kb("VmHWM") / 1024, time.monotonic()
    relay.signal(signal.SIGTERM)
    code = relay.wait(15)
    print(f"  SIGTERM: exit code {code} after {time.monotonic() - started:.2f} s; at its largest it took {memory:.0f} MB of memory")
    prove("Postrider confirmed everything and stopped with exit code 0", code == 0)

    title("What this showed")
    for claim, holds in proved:
        print(f"  {'ok' if holds else 'NO'}: {claim}")
    listener.close()
    cleanup()
    print("  Both servers are stopped and the scratch folder is removed.")
    return 0 if all(holds for _, holds in proved) else 1


if __name__ == "__main__":
    os.chdir(ROOT)
    try:
        sys.exit(main())
    except (RuntimeError, TimeoutError) as error:
        sys.exit(f"demo: {error}")
