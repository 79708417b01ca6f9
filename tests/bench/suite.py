#!/usr/bin/env python3
"""How fast a slot is drained: Postrider, pg_recvlogical, Debezium and a bare loop on the same transactions, in turn, in one run.

usage: tests/bench/suite.py [--loads a,b] [--contestants a,b] [--rounds N] [--scale X] [--set KEY=VALUE]... [--name NAME] [--list]

Prints for each load the medians over the rounds, Postrider's rate by each reader's, and all rounds; keeps them in build/bench/NAME.json. race.py
tells what is measured. The machine is noisy: read the ratios, and the load average that each round began with. The relay is build/release/postrider,
or $POSTRIDER_BINARY; bare_loop is the one that was built with it, or $POSTRIDER_BARE_LOOP. Wants the Python of .deps/venv. All loads with five
rounds take hours.
"""
import argparse
import dataclasses

import contestants
import loads
import race
from contestants import CONTESTANTS, chosen, pairs
from figures import keep, median, ratio, shown, table
from harness import Kafka, Postgres, Site, cleanup

DEFAULT = [name for name in CONTESTANTS if name != "bare-eager"]
SERVER = {"max_wal_size": "40GB", "checkpoint_timeout": "1h", "max_replication_slots": "100", "max_wal_senders": "100"}


def measure(postgres, kafka, load, names, rounds, settings):
    """contestant -> its rounds, in alternation; each round begins with another contestant."""
    site = Site(postgres, kafka, "bench")
    loads.prepare(site)
    slots = {(name, number): f"{name.replace('-', '_')}_{site.name}_{number}" for name in names for number in range(rounds)}
    for slot in slots.values():
        site.sql("SELECT pg_create_logical_replication_slot(%s, 'pgoutput')", (slot,))
    print(f"\n{load.name}: {load.transactions:,} transactions, {load.says}", flush=True)
    end_lsn = loads.write(site, load)
    results = {name: [] for name in names}
    for number in range(rounds):
        for name in names[number % len(names):] + names[:number % len(names)]:
            program = contestants.make(name, site, slots[name, number], expand=load.expand, end_lsn=end_lsn, settings=settings)
            result = race.drain(program, site, load, publishes=name != contestants.READ_ONLY)
            results[name].append(result)
            print(f"  round {number + 1}: {name:15} {result.rate:10,.0f} events/s, load average {result.load_average:.1f} before", flush=True)
    site.close()
    return results


def medians(results):
    fields = [field.name for field in dataclasses.fields(race.Result)]
    return {name: {field: median([getattr(result, field) for result in rounds]) for field in fields} for name, rounds in results.items()}


def report(results):
    """The table of one load."""
    middle = medians(results)
    ours = middle.get("postrider")
    rows = [[name, shown(of["rate"]), shown(ratio(ours and ours["rate"], of["rate"]), 2), shown(of["cpu_s"], 1), shown(of["peak_mb"]),
             shown(of["walsender_cpu_s"], 1), shown(of["broker_cpu_s"], 1), " ".join(f"{result.rate:,.0f}" for result in results[name])]
            for name, of in middle.items()]
    return table(["reader", "events/s", "Postrider/it", "CPU s", "MB", "walsender s", "broker s", "rounds"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--loads", default=",".join(loads.LOADS), help=f"of: {', '.join(loads.LOADS)}")
    parser.add_argument("--contestants", default=",".join(DEFAULT), help=f"of: {', '.join(CONTESTANTS)}")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1.0, help="this many times the transactions")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="another setting of Postrider")
    parser.add_argument("--name", default="suite", help="of the file in build/bench")
    parser.add_argument("--list", action="store_true", help="say what loads and contestants there are")
    arguments = parser.parse_args()
    names = chosen(arguments.contestants, CONTESTANTS)
    settings = pairs(arguments.set)
    chosen_loads = [loads.LOADS[name].scaled(arguments.scale) for name in chosen(arguments.loads, loads.LOADS)]
    if arguments.list:
        print(table(["load", "what it is"], [[load.name, f"{load.transactions:,} transactions, {load.says}"] for load in chosen_loads]))
        print(table(["\ncontestant", ""], list(map(list, CONTESTANTS.items()))))
        return
    postgres, kafka = Postgres(15, SERVER), Kafka({"log.retention.bytes": "-1"})
    kept = {}
    for load in chosen_loads:
        results = measure(postgres, kafka, load, names, arguments.rounds, settings)
        print("\n" + report(results), flush=True)
        kept[load.name] = {"says": load.says, "transactions": load.transactions, "events": load.events, "medians": medians(results),
                           "rounds": {name: [dataclasses.asdict(result) for result in rounds] for name, rounds in results.items()}}
        keep(arguments.name, {"settings": settings, "loads": kept})  # after each load, so that a run that is broken off leaves what it has


if __name__ == "__main__":
    try:
        main()
    finally:
        cleanup()
