#!/usr/bin/env python3
"""How fast a slot is drained: Postrider against pg_recvlogical and Debezium on the same transactions, in turn, in one run.

usage: tests/bench/drain.py [--transactions N] [--rows N] [--payload BYTES] [--rounds N] [--keep] [--no-debezium] [--debezium-rounds N]

Every contestant has slots of its own, made before the load, so all read the same WAL from the same place. Rates are events by time:
for pg_recvlogical from its start to its end; for the others from the first record in the topic to the last (so that the JVM's start, or ours, is
no part of it). CPU seconds are the contestant's own process; the walsender's and the broker's come on top for all alike.
Medians over the rounds, all rounds printed. The machine is noisy: read the ratios.
"""
import argparse
import pathlib
import resource
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))

from confluent_kafka import Consumer, KafkaException, TopicPartition  # noqa: E402

from harness import Debezium, Kafka, Postgres, Site, cleanup, wait_for  # noqa: E402
from harness.recvlogical import seconds_to_read  # noqa: E402

PARTITIONS = 4

LOAD = """
CREATE PROCEDURE public.load(transactions int, per_transaction int, pad int, remove boolean) LANGUAGE plpgsql AS $$
BEGIN
  FOR t IN 1 .. transactions LOOP
    INSERT INTO public.outbox (aggregatetype, aggregateid, type, payload)
    SELECT 'order', ((t * 31 + n) % 1000)::text, 'Placed', jsonb_build_object('orderId', t, 'total', 12.5, 'pad', repeat('x', pad))
    FROM generate_series(1, per_transaction) n;
    IF remove THEN DELETE FROM public.outbox; END IF;
    COMMIT;
  END LOOP;
END $$"""


class Topic:
    """Watches one topic's end: how many records are there."""

    def __init__(self, kafka, name):
        self.name = name
        kafka.create_topic(name, PARTITIONS)
        self.consumer = Consumer({"bootstrap.servers": kafka.bootstrap, "group.id": "bench"})

    def count(self):
        try:
            return sum(self.consumer.get_watermark_offsets(TopicPartition(self.name, p), timeout=10)[1] for p in range(PARTITIONS))
        except KafkaException:
            return 0

    def seconds(self, number, child, timeout_s):
        """From the first record to the last."""
        wait_for(lambda: self.count() > 0, 120, lambda: f"the first record\n{child.tail()}", 0.005)
        first, before = time.monotonic(), self.count()
        wait_for(lambda: self.count() >= number, timeout_s, lambda: f"{number} records, {self.count()} are there\n{child.tail()}", 0.02)
        return (time.monotonic() - first) * number / (number - before)


def usage(child):
    """CPU seconds and peak memory in MB of a running process."""
    return child.cpu_s(), child.status_kb("VmHWM") / 1024


def routed_to(name):
    return {"transforms.outbox.route.topic.replacement": f"{name}.${{routedByValue}}", "snapshot.mode": "no_data"}


def drain(site, kafka, slot, events, contestant):
    """Rate, CPU seconds, peak MB of one reader on one slot."""
    topic = Topic(kafka, f"{slot}.order")
    settings = routed_to(slot) | {"slot.name": slot, "publication.name": "bench", "publication.autocreate.mode": "disabled"}
    relay = site.relay(settings)
    relay.slot = slot
    reader = relay if contestant == "postrider" else Debezium(relay)
    reader.start(wait=False)
    seconds = topic.seconds(events, reader.child, 900)
    cpu, peak = usage(reader.child)
    reader.stop()
    return events / seconds, cpu, peak


def read_only(site, slot, events, end_lsn):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = seconds_to_read(site.postgres, site.database, slot, "bench", end_lsn)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return events / seconds, cpu, None


def prepare(postgres, kafka, arguments, contestants):
    site = Site(postgres, kafka, "bench")
    site.sql("CREATE PUBLICATION bench FOR TABLE public.outbox WITH (publish = 'insert')")
    site.sql(LOAD)
    slots = {}
    for contestant, rounds in contestants.items():
        for number in range(rounds):
            slots[contestant, number] = f"{contestant}_{number}"
            site.sql("SELECT pg_create_logical_replication_slot(%s, 'pgoutput')", (slots[contestant, number],))
    connection = site.connect(options="-c synchronous_commit=off")
    connection.cursor().execute("CALL public.load(%s, %s, %s, %s)",
                                (arguments.transactions, arguments.rows, arguments.payload, arguments.rows == 1))
    connection.close()
    postgres.sql("CHECKPOINT")
    return site, slots, postgres.value("SELECT pg_current_wal_insert_lsn()::text")


def report(results):
    base = {contestant: statistics.median(rate for rate, _, _ in rounds) for contestant, rounds in results.items()}
    print(f"\n{'reader':16} {'events/s':>10} {'ratio':>6} {'CPU s':>6} {'MB':>6}   rounds")
    for contestant, rounds in results.items():
        peak = rounds[0][2] and statistics.median(p for _, _, p in rounds)
        print(f"{contestant:16} {base[contestant]:10,.0f} {base['postrider'] / base[contestant]:6.2f} "
              f"{statistics.median(c for _, c, _ in rounds):6.1f} {peak and round(peak) or '':>6}   "
              + ", ".join(f"{rate:,.0f}" for rate, _, _ in rounds))
    print("ratio: Postrider's median by this reader's")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--transactions", type=int, default=300_000)
    parser.add_argument("--rows", type=int, default=1, help="rows a transaction; 1: inserted and deleted in it")
    parser.add_argument("--payload", type=int, default=200, help="bytes of padding in the payload")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--debezium-rounds", type=int, default=2)
    parser.add_argument("--no-debezium", action="store_true")
    arguments = parser.parse_args()
    contestants = {"postrider": arguments.rounds, "pg_recvlogical": arguments.rounds}
    if not arguments.no_debezium:
        contestants["debezium"] = arguments.debezium_rounds
    events = arguments.transactions * arguments.rows
    postgres = Postgres(15, {"max_wal_size": "20GB", "checkpoint_timeout": "1h", "max_replication_slots": "60"})
    kafka = Kafka({"log.retention.bytes": "-1"})
    print(f"writing {arguments.transactions:,} transactions of {arguments.rows} row(s) ...", flush=True)
    site, slots, end_lsn = prepare(postgres, kafka, arguments, contestants)
    results = {contestant: [] for contestant in contestants}
    for number in range(max(contestants.values())):
        for contestant, rounds in contestants.items():
            if number >= rounds:
                continue
            slot = slots[contestant, number]
            result = read_only(site, slot, events, end_lsn) if contestant == "pg_recvlogical" else drain(site, kafka, slot, events, contestant)
            results[contestant].append(result)
            print(f"round {number + 1}: {contestant:16} {result[0]:10,.0f} events/s", flush=True)
    report(results)


if __name__ == "__main__":
    try:
        main()
    finally:
        cleanup()
