#!/usr/bin/env python3
"""What several slots over one outbox are worth: each takes a disjoint share of the rows by a row filter (PostgreSQL 15 or later), and has its relay.

usage: tests/bench/slots.py [--slots 1,2,4] [--contestant postrider] [--load one-row] [--rounds N] [--scale X] [--name NAME]

Every slot decodes the whole log and sends its share, so what the server pays grows with the slots: "walsenders s" is their CPU seconds together. All
relays of a set begin at once; events a second from the first START_REPLICATION to the last record's append, over all topics. Kept in
build/bench/NAME.json. Wants the Python of .deps/venv.
"""
import argparse

import contestants
import loads
import race
from figures import keep, load_average, median, ratio, shown, table
from harness import Kafka, Postgres, Site, cleanup
from suite import SERVER


def publication(number, count):
    return f"share_{number}_of_{count}"


def make_publications(site, count):
    for number in range(count):
        share = f"(hashtext(aggregateid) % {count} + {count}) % {count} = {number}"
        site.sql(f"CREATE PUBLICATION {publication(number, count)} FOR TABLE public.outbox WHERE ({share}) WITH (publish = 'insert')")


def together(site, contestant, load, slots):
    """All slots of one set, each with its reader, at once."""
    before = load_average()
    topics = race.Topics(site.kafka, [topic for slot in slots for topic in load.topic_names(slot)], load.partitions)
    programs = [contestants.make(contestant, site, slot, publication(number, len(slots)), expand=load.expand) for number, slot in enumerate(slots)]
    for program in programs:
        program.start(wait=False)
    meters = [race.Meter(program, site) for program in programs]
    ended_at = race.wait_published(programs, topics, load.events, meters)
    for meter in meters:
        meter.look()
    seconds = ended_at - min(site.postgres.stream_command_at(slot) for slot in slots)
    for program in programs:
        program.child.kill9()
        site.postgres.drop_slot(program.slot)
    topics.delete()
    return {"rate": load.events / seconds, "seconds": seconds, "relays_cpu_s": sum(meter.cpu_s for meter in meters),
            "walsenders_cpu_s": sum(meter.walsender_cpu_s for meter in meters), "broker_cpu_s": meters[0].broker_cpu_s(),
            "peak_mb": sum(meter.peak_mb for meter in meters), "load_average": before}


def report(found):
    def middle(count, field):
        return median([round_[field] for round_ in found[count]])
    one = min(found)
    rows = [[str(count), shown(middle(count, "rate")), shown(ratio(middle(count, "rate"), middle(one, "rate")), 2),
             *(shown(middle(count, of), 1) for of in ("walsenders_cpu_s", "relays_cpu_s", "broker_cpu_s")), shown(middle(count, "peak_mb")),
             " ".join(f"{round_['rate']:,.0f}" for round_ in rounds)] for count, rounds in found.items()]
    return table(["slots", "events/s", f"to {one}", "walsenders s", "relays s", "broker s", "MB", "rounds"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slots", default="1,2,4", help="how many at once")
    parser.add_argument("--contestant", default="postrider", choices=["postrider", *contestants.BARE])
    parser.add_argument("--load", default="one-row", choices=loads.LOADS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1.0, help="this many times the transactions")
    parser.add_argument("--name", default="slots", help="of the file in build/bench")
    arguments = parser.parse_args()
    counts = [int(count) for count in arguments.slots.split(",")]
    load = loads.LOADS[arguments.load].scaled(arguments.scale)
    site = Site(Postgres(15, SERVER), Kafka({"log.retention.bytes": "-1"}), "slots")
    loads.prepare(site)
    sets = {(round_, count): [f"s{number}_of_{count}_{site.name}_{round_}" for number in range(count)]
            for round_ in range(arguments.rounds) for count in counts}
    for count in counts:
        make_publications(site, count)
    for slot in (slot for slots in sets.values() for slot in slots):
        site.sql("SELECT pg_create_logical_replication_slot(%s, 'pgoutput')", (slot,))
    loads.write(site, load)
    found = {count: [] for count in counts}
    for (round_, count), slots in sets.items():
        found[count].append(together(site, arguments.contestant, load, slots))
        print(f"round {round_ + 1}: {count} slots {found[count][-1]['rate']:10,.0f} events/s", flush=True)
    print("\n" + report(found))
    keep(arguments.name, {"contestant": arguments.contestant, "load": load.says, "events": load.events, "rounds": found})


if __name__ == "__main__":
    try:
        main()
    finally:
        cleanup()
