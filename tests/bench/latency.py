#!/usr/bin/env python3
"""How long an event takes from its commit to a consumer, how soon a reader is there, and what it costs when nothing happens.

usage: tests/bench/latency.py [--contestants a,b] [--rates 10,200,2000] [--seconds N] [--runs N] [--idle-s N] [--starts N] [--minutes N]
                              [--set KEY=VALUE]... [--name NAME]

pgbench commits one row a transaction at each rate (its --rate: arrivals as a Poisson process, 4 connections), with the server's
clock_timestamp() in the payload; a consumer on the same machine notes when it has the record. So the latency counts from the row's insertion, a
moment before its commit, to the consumer's hands. The first seconds of each are left out (--warm-s). Contestants take turns; medians over --runs.

Then, for each: idle for --idle-s seconds, its CPU meanwhile and the latency of the first event after it; a clean stop, an insert, and the time
from the next start of the process to the first record (slot and topic exist), --starts times; with --minutes, its memory under 200 transactions
a second for so long. Kept in build/bench/NAME.json. Wants the Python of .deps/venv.
"""
import argparse
import json
import time

import contestants
import loads
from figures import keep, latencies, load_average, median, shown, table
from harness import Child, Kafka, Postgres, Site, cleanup, new_folder, wait_for
from harness.consume import Listener

from race import Topics

INSERT = """INSERT INTO public.outbox (aggregatetype, aggregateid, type, payload)
VALUES ('order0', ({key})::text, 'Placed', jsonb_build_object('at', extract(epoch FROM clock_timestamp()), 'pad', repeat('x', 200)));
"""
SCRIPT = "\\set key random(1, 1000)\n" + INSERT.format(key=":key")
DEFAULT = ["postrider", "bare", "bare-eager", "debezium"]
FIRST_RECORD_S, LAST_RECORD_S = 180, 60
MEMORY_RATE, MEMORY_EVERY_S = 200, 10


class Lane:
    """One contestant that runs, with its slot, its topic and a consumer of it."""

    def __init__(self, site, name, number, settings):
        self.site, self.name = site, name
        self.slot = f"{name.replace('-', '_')}_{site.name}_{number}"
        site.sql("SELECT pg_create_logical_replication_slot(%s, 'pgoutput')", (self.slot,))
        self.topics = Topics(site.kafka, [f"{self.slot}.order0"], 1)
        self.listener = Listener(site.kafka.bootstrap, self.topics.names[0])
        self.program = contestants.make(name, site, self.slot, settings=settings)
        self.start()

    def start(self):
        """Until a first event has come through; seconds since the process began, to the consumer."""
        self.insert()
        self.program.start(wait=False)
        message, at = self.listener.next(FIRST_RECORD_S)
        if message is None:
            raise TimeoutError(f"no record of {self.name}\n{self.program.child.tail()}")
        self.drain()
        return at - self.program.child.started_at

    def insert(self):
        self.site.sql(INSERT.format(key="1"))

    def drain(self):
        while self.listener.next(0.5)[0] is not None:
            pass

    def stop(self):
        self.program.stop()
        active = "SELECT active FROM pg_replication_slots WHERE slot_name = %s"
        wait_for(lambda: not self.site.postgres.value(active, (self.slot,)), 60, "the slot is free")

    def receive(self, more):
        """(when inserted, how long it took to arrive) of each record, while more(how many came) holds."""
        found = []
        while more(len(found)):
            message, at = self.listener.next(0.2)
            if message is not None:
                inserted_at = json.loads(message.value())["at"]
                found.append((inserted_at, at - inserted_at))
        return found

    def close(self):
        self.listener.close()
        if self.program.child.running():
            self.program.child.kill9()
        self.site.postgres.drop_slot(self.slot)
        self.topics.delete()


class Load:
    """pgbench at a rate, for so long."""

    def __init__(self, site, rate, seconds):
        folder = new_folder("pgbench")
        script = folder / "insert.sql"
        script.write_text(SCRIPT)
        self.site = site
        site.sql("TRUNCATE public.outbox")
        self.started_at = time.time()
        self.child = Child("pgbench", ["pgbench", "-h", "127.0.0.1", "-p", site.postgres.port, "-U", "postgres", "-n", "-M", "prepared", "-f", script,
                                       "-c", 4, "-R", rate, "-T", seconds, site.database], folder / "log")
        self._written = None
        self._deadline = None

    def missing(self, received):
        """Whether more is to come."""
        if self.child.running():
            return True
        if self._written is None:
            self._written = self.site.sql("SELECT count(*) FROM public.outbox")[0][0]
            self._deadline = time.monotonic() + LAST_RECORD_S
        if received < self._written and time.monotonic() > self._deadline:
            raise TimeoutError(f"{received} of {self._written} records came")
        return received < self._written


def at_rate(lane, rate, arguments):
    before = load_average()
    load = Load(lane.site, rate, arguments.seconds + arguments.warm_s)
    found = lane.receive(load.missing)
    lane.close()
    counted = [latency for inserted_at, latency in found if inserted_at >= load.started_at + arguments.warm_s]
    return latencies(counted) | {"load_average": before}


def rest(lane, arguments):
    """What is measured on one running contestant without much load."""
    result = {"load_average": load_average()}
    time.sleep(2)
    cpu_before = lane.program.child.cpu_s()
    time.sleep(arguments.idle_s)
    result["idle_cpu_percent"] = 100 * (lane.program.child.cpu_s() - cpu_before) / arguments.idle_s
    lane.insert()
    result["first_after_idle_ms"] = lane.receive(lambda received: received < 1)[0][1] * 1000
    result["idle_mb"] = lane.program.child.status_kb("VmRSS") / 1024
    result["start_to_first_record_ms"] = []
    for _ in range(arguments.starts):
        lane.stop()
        result["start_to_first_record_ms"].append(lane.start() * 1000)
    if arguments.minutes:
        result["memory_mb"] = memory(lane, arguments.minutes)
    lane.close()
    return result


def memory(lane, minutes):
    """Resident megabytes, each ten seconds under load."""
    load, seen, look_at = Load(lane.site, MEMORY_RATE, round(minutes * 60)), [], 0

    def more(received):
        nonlocal look_at
        if time.monotonic() >= look_at:
            look_at = time.monotonic() + MEMORY_EVERY_S
            seen.append(round(lane.program.child.status_kb("VmRSS") / 1024, 1))
        return load.missing(received)
    lane.receive(more)
    return {"first": seen[0], "last": seen[-1], "highest": lane.program.child.status_kb("VmHWM") / 1024, "all": seen}


def rates_table(rates):
    rows = []
    for rate, runs_of in rates.items():
        for name, runs in runs_of.items():
            middle = {key: median([run[key] for run in runs]) for key in ("p50", "p99", "p99.9", "max", "events")}
            rows.append([f"{rate}/s {name}", *(shown(middle[key], 2) for key in ("p50", "p99", "p99.9", "max")), shown(middle["events"]),
                         " ".join(f"{run['p50']:.2f}/{run['p99']:.1f}" for run in runs)])
    return table(["milliseconds", "p50", "p99", "p99.9", "max", "events", "p50/p99 of the runs"], rows)


def rest_table(rests):
    rows = [[name, shown(of["idle_cpu_percent"], 2), shown(of["first_after_idle_ms"], 2), shown(median(of["start_to_first_record_ms"])),
             shown(of["idle_mb"]), " ".join(shown(value) for value in of["start_to_first_record_ms"])
             + (f", after load {of['memory_mb']['first']:.0f} -> {of['memory_mb']['last']:.0f} MB" if "memory_mb" in of else "")]
            for name, of in rests.items()]
    return table(["reader", "idle CPU %", "first after idle ms", "start to first ms", "MB", "starts"], rows)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--contestants", default=",".join(DEFAULT))
    parser.add_argument("--rates", default="10,200,2000", help="transactions a second")
    parser.add_argument("--seconds", type=int, default=100, help="of each run, beside the first seconds")
    parser.add_argument("--warm-s", type=int, default=10, help="the first seconds, which do not count")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--idle-s", type=int, default=60)
    parser.add_argument("--starts", type=int, default=5)
    parser.add_argument("--minutes", type=float, default=0, help="of load for the memory")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="another setting of Postrider")
    parser.add_argument("--name", default="latency", help="of the file in build/bench")
    return parser.parse_args()


def main():
    arguments = parse()
    names = contestants.chosen(arguments.contestants, [name for name in contestants.CONTESTANTS if name != contestants.READ_ONLY])
    settings = contestants.pairs(arguments.set)
    site = Site(Postgres(15, {"max_wal_size": "8GB"}), Kafka(), "latency")
    loads.prepare(site)
    rates = {rate: {name: [] for name in names} for rate in map(int, filter(None, arguments.rates.split(",")))}
    for rate, runs_of in rates.items():
        for number in range(arguments.runs):
            for name in names:
                run = at_rate(Lane(site, name, f"{rate}_{number}", settings), rate, arguments)
                runs_of[name].append(run)
                print(f"{rate}/s, run {number + 1}: {name:15} p50 {run['p50']:.2f} ms, p99 {run['p99']:.2f} ms", flush=True)
    print("\n" + rates_table(rates), flush=True)
    rests = {name: rest(Lane(site, name, "rest", settings), arguments) for name in names}
    print("\n" + rest_table(rests))
    keep(arguments.name, {"settings": settings, "latency_ms": rates, "rest": rests})


if __name__ == "__main__":
    try:
        main()
    finally:
        cleanup()
