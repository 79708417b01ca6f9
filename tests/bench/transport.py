#!/usr/bin/env python3
"""What pauses between reads are worth: the same reader paced and unpaced, over TCP, a Unix socket and TLS, with small and large payloads.

usage: tests/bench/transport.py [--transports tcp,socket,tls] [--payloads 100,1000,20000] [--paces never,gulp,drained] [--rounds N] [--scale X]
                                [--kafka] [--name NAME]

The reader is bare_loop; it publishes nothing, so that reading alone is measured, and all read the same WAL. `never`: it reads as soon as there is
something; `gulp`: pauses after each read while less than 16 kB wait; `drained`: pauses after a read that brought nothing, as Postrider does. Events a
second from the first message to the last; "reads": how many a thousand events took. With --kafka the readers publish, and Postrider runs beside them.
Kept in build/bench/NAME.json. Wants the Python of .deps/venv.
"""
import argparse
import json

import contestants
import loads
import race
from figures import keep, load_average, median, ratio, shown, table
from harness import Kafka, Site, cleanup
from harness.relay import AS_TEXT
from harness.tls import Authority, tls_postgres
from suite import SERVER

TRANSACTIONS = {100: 200_000, 1_000: 150_000, 20_000: 20_000}
SLOTS = 400


def server():
    """Lets `postgres` in over all three ways."""
    postgres = tls_postgres(Authority("bench"))
    with open(postgres.data / "pg_hba.conf", "a", encoding="utf-8") as rules:
        rules.write("local all,replication postgres trust\n")
    postgres.settings |= SERVER | {"max_replication_slots": str(SLOTS), "unix_socket_directories": postgres.folder}
    postgres.stop()
    postgres.write_settings()
    return postgres.start()


def connection(postgres, transport):
    """(host, sslmode)"""
    return {"tcp": ("127.0.0.1", "disable"), "socket": (postgres.folder, "disable"), "tls": ("127.0.0.1", "require")}[transport]


def read_alone(site, slot, load, end_lsn, transport, pace):
    """The reader's own figures."""
    host, sslmode = connection(site.postgres, transport)
    before = load_average()
    program = contestants.bare(site, slot, pace=pace, end_lsn=end_lsn, host=host, sslmode=sslmode).start()
    race.wait_end(program, race.Meter(program, site))
    found = json.loads(program.child.output())
    site.postgres.drop_slot(slot)
    assert found["rows"] == load.events, found
    return {"rate": found["rows"] / found["seconds"], "cpu_s": found["cpu_s"], "reads_per_1000": 1000 * found["reads"] / found["rows"],
            "load_average": before}


def publish(site, slot, load, transport, pace):
    host, sslmode = connection(site.postgres, transport)
    if pace == "postrider":
        settings = AS_TEXT | {"database.hostname": host, "database.sslmode": sslmode}
        program = contestants.postrider(site, slot, loads.PUBLICATION, settings)
    else:
        program = contestants.bare(site, slot, pace=pace, host=host, sslmode=sslmode)
    result = race.drain(program, site, load)
    return {"rate": result.rate, "cpu_s": result.cpu_s, "reads_per_1000": None, "load_average": result.load_average}


def report(found):
    rows = []
    for (payload, transport), paces in found.items():
        base = median([round_["rate"] for round_ in paces.get("never", [])])
        for pace, rounds in paces.items():
            rate = median([round_["rate"] for round_ in rounds])
            cpu_s, reads = (median([round_[field] for round_ in rounds]) for field in ("cpu_s", "reads_per_1000"))
            rows.append([f"{payload} B {transport}", pace, shown(rate), shown(ratio(rate, base), 2), shown(cpu_s, 1), shown(reads),
                         " ".join(f"{round_['rate']:,.0f}" for round_ in rounds)])
    return table(["payload", "pace", "events/s", "to never", "CPU s", "reads", "rounds"], rows)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--transports", default="tcp,socket,tls")
    parser.add_argument("--payloads", default="100,1000,20000", help="bytes")
    parser.add_argument("--paces", default="never,gulp,drained")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1.0, help="this many times the transactions")
    parser.add_argument("--kafka", action="store_true", help="publish, and run Postrider beside")
    parser.add_argument("--name", default="transport", help="of the file in build/bench")
    return parser.parse_args()


def main():
    arguments = parse()
    transports = arguments.transports.split(",")
    paces = arguments.paces.split(",") + (["postrider"] if arguments.kafka else [])
    postgres, kafka = server(), Kafka({"log.retention.bytes": "-1"})
    found = {}
    for payload in map(int, arguments.payloads.split(",")):
        load = loads.Load("transport", f"payload of {payload} B", TRANSACTIONS.get(payload, 50_000), payload={"pad": loads.words(payload)})
        load = load.scaled(arguments.scale)
        site = Site(postgres, kafka, "transport")
        loads.prepare(site)
        runs = [(number, transport, pace) for number in range(arguments.rounds) for transport in transports for pace in paces]
        slots = {run: f"{run[1]}_{run[2]}_{site.name}_{run[0]}" for run in runs}
        for slot in slots.values():
            site.sql("SELECT pg_create_logical_replication_slot(%s, 'pgoutput')", (slot,))
        end_lsn = loads.write(site, load)
        for number, transport, pace in runs:
            slot = slots[number, transport, pace]
            if arguments.kafka:
                result = publish(site, slot, load, transport, pace)
            else:
                result = read_alone(site, slot, load, end_lsn, transport, pace)
            found.setdefault((payload, transport), {}).setdefault(pace, []).append(result)
            print(f"{payload} B, {transport:6}, {pace:9} round {number + 1}: {result['rate']:10,.0f} events/s", flush=True)
        site.close()
        keep(arguments.name, {"published": arguments.kafka, "rounds": {f"{size} B, {way}": by_pace for (size, way), by_pace in found.items()}})
    print("\n" + report(found))


if __name__ == "__main__":
    try:
        main()
    finally:
        cleanup()
