#!/usr/bin/env python3
"""What routing and converting one event costs, in instructions, by callgrind; compared with the kept figures in instructions.json.

usage: tests/bench/instructions.py [--build build/release] [--record]

The figures are compared where compiler, flags and libraries are those that they were kept with: more than 10 % above is a failure. The
limits hold everywhere. --record keeps today's figures.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
KEPT = pathlib.Path(__file__).with_name("instructions.json")
LIMITS = {"expand": 20_000, "plain": 6_000}  # with and without JSON expansion, JsonConverter with schemas
FEW, MANY = 1_000, 3_000
RISE = 1.10


def instructions(program, case, count):
    with tempfile.NamedTemporaryFile() as out:
        done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}", program, case, str(count)],
                              capture_output=True, text=True)
        found = re.search(r"Collected : (\d+)", done.stderr)
        if done.returncode != 0 or not found:
            sys.exit(f"callgrind failed on {program} {case} {count}:\n{done.stdout}{done.stderr}")
        return int(found[1])


def toolchain(build):
    """What the figures depend on."""
    def said(*command):
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    cache = dict(re.findall(r"^(\w+):\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE))
    packages = said("dpkg-query", "-W", "-f", "${Package} ${Version}, ", "libabsl-dev", "rapidjson-dev", "libpcre2-dev", "libc6-dev", "g++")
    return f"{said(cache['CMAKE_CXX_COMPILER'], '-dumpfullversion')} {cache['CMAKE_BUILD_TYPE']} {cache.get('CMAKE_CXX_FLAGS', '')} {packages}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    program = arguments.build / "tests" / "bench" / "router_bench"
    now = {case: round((instructions(program, case, MANY) - instructions(program, case, FEW)) / (MANY - FEW)) for case in LIMITS}
    here = toolchain(arguments.build)
    if arguments.record:
        KEPT.write_text(json.dumps({"toolchain": here, "instructions_per_event": now}, indent=2) + "\n")
    kept = json.loads(KEPT.read_text())
    same = kept["toolchain"] == here
    failed = False
    for case, cost in now.items():
        before = kept["instructions_per_event"][case]
        wrong = cost >= LIMITS[case] or (same and cost > RISE * before)
        failed |= wrong
        print(f"{case:8} {cost:7,} instructions an event, kept {before:,}{'' if same else ' (by another toolchain)'}, limit {LIMITS[case]:,}"
              f"{': TOO MANY' if wrong else ''}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
