"""Runs the stages of ./test, counts what they ran, and says at the end what passed, failed and was left out."""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree

import evidence

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOGS = ROOT / "build" / "test"
PYTHON = ROOT / ".deps" / "venv" / "bin" / "python"
CORES = os.cpu_count() or 2

# The recorded cases of the gate: what the main job must reproduce. --full runs all of them.
GATE_CASES = ("seed snapshot expand-schemas expand-noschemas plain multi-row rollback savepoints update-default truncate prepared "
              "insert-update-delete publication big-payload session").split()
# Folders whose tests have more than one thread.
THREADED = ("base", "kafka", "relay")
THREADED_FULL = (*THREADED, "control", "evidence", "monitor")
# Suites that need a real server: the stage `servers` runs them, and no other.
NEED_POSTGRES = ("ActionTest", "ConnectionTest", "ConnectorTest", "SlotReportTest", "SnapshotTest", "StreamTest", "SurveyTest", "WatcherTest")
NEED_KAFKA = ("RealBroker", "StrictBroker")
WITHOUT_SERVERS = ["-E", f"^({'|'.join(NEED_POSTGRES + NEED_KAFKA)})[.]"]
WITHOUT_SIMULATION = ["-E", f"^({'|'.join((*NEED_POSTGRES, *NEED_KAFKA, 'Simulation'))})[.]"]
SEEDS, SEEDS_FULL = 2_000, 20_000
SOAK_KILLS = 300
POSTGRES, POSTGRES_GATE = (13, 14, 15, 16, 17, 18), (15, 18)
FUZZ_S = 12
FUZZ_FULL_S = 600
TIDY_GATE_S = 90


class Stage:
    """What one stage has found. Each check, test and case counts as one."""

    def __init__(self, name):
        self.name, self.passed, self.failed, self.skipped, self.notes, self.left_out = name, 0, 0, 0, [], []
        self.figures = {}  # for EVIDENCE.md, beside the counts

    def check(self, holds, note=""):
        self.passed, self.failed = self.passed + bool(holds), self.failed + (not holds)
        if not holds and note:
            self.notes.append(note)
        return holds

    def run(self, name, command, **options):
        """A command whose output goes to build/test/STAGE-NAME.log; its exit code."""
        log = LOGS / f"{self.name}-{name}.log"
        with open(log, "w") as output:
            code = subprocess.run([str(word) for word in command], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                  **options).returncode
        if code != 0:
            self.notes.append(f"{' '.join(str(word) for word in command)[:150]}: exit code {code}; {log.relative_to(ROOT)} ends with")
            self.notes += ["  | " + line for line in log.read_text(errors="replace").splitlines()[-25:]]
        return code

    def count_junit(self, file):
        """Adds the cases of a JUnit file and names those that failed. False when there is no such file."""
        if not file.exists():
            return self.check(False, f"{file.name} was not written")
        for case in xml.etree.ElementTree.parse(file).getroot().iter("testcase"):
            self.note_case(case)
            if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
                self.failed += 1
                self.notes.append(f"failed: {case.get('classname')}.{case.get('name')}")
            elif case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
                self.skipped += 1
            else:
                self.passed += 1
        return True


    def note_case(self, case):
        """Counts what passed by file (pytest) or suite (GoogleTest), and by version of PostgreSQL; adds up what tests noted in properties."""
        if any(case.find(word) is not None for word in ("failure", "error", "skipped")) or case.get("status") in ("fail", "notrun", "disabled"):
            return
        of_ctest = case.get("status") is not None
        group = case.get("name").split(".")[0].split("/")[-1] if of_ctest else case.get("classname").split(".")[-1]
        self.count("passed_by", group, 1)
        if version := re.search(r"\[(?:\w+-)*(1[3-8])\b", case.get("name")):
            self.count("passed_on_postgres", version[1], 1)
        for noted in case.iter("property"):
            if noted.get("value", "").isdigit():
                self.count("done", noted.get("name"), int(noted.get("value")))

    def count(self, figure, name, number):
        counts = self.figures.setdefault(figure, {})
        counts[name] = counts.get(name, 0) + number


def sources(*patterns):
    return sorted(file for top in ("decoder", "src", "tests") for pattern in patterns for file in (ROOT / top).rglob(pattern))


def build(stage, preset, *targets):
    """Configures and builds; False when that failed."""
    if stage.run(f"configure-{preset}", ["cmake", "--preset", preset]) != 0:
        return stage.check(False)
    selection = ["--target", *targets] if targets else []
    return stage.check(stage.run(f"build-{preset}", ["cmake", "--build", "--preset", preset, *selection]) == 0)


def ctest(stage, folder, name, before=(), selection=(), jobs=CORES, **options):
    report = LOGS / f"{stage.name}-{name}.xml"
    report.unlink(missing_ok=True)
    stage.run(f"ctest-{name}", [*before, "ctest", "--test-dir", folder, "-j", jobs, "--output-on-failure", "--timeout", 300,
                                "--output-junit", report, *selection], **options)
    stage.count_junit(report)


# ---- stages -----------------------------------------------------------------------------------------------------------


def stage_format(stage, full):
    done = subprocess.run(["clang-format", "--dry-run", "-Werror", *sources("*.h", "*.cc")], capture_output=True, text=True)
    names = sorted(set(re.findall(rf"^{re.escape(str(ROOT))}/(\S+?):\d+:", done.stderr, re.MULTILINE)))
    stage.check(done.returncode == 0, "not formatted: clang-format -i " + " ".join(names))


def stage_layers(stage, full):
    stage.check(stage.run("includes", ["scripts/check-layers"]) == 0)


def stage_build(stage, full):
    build(stage, "release")


def stage_unit(stage, full):
    if build(stage, "release"):
        ctest(stage, "build/release", "release", selection=WITHOUT_SIMULATION)
        simulation(stage, SEEDS_FULL if full else SEEDS)
        stage.check(stage.run("instructions", [PYTHON, "tests/bench/instructions.py"]) == 0)
        mutations(stage, full)


def simulation(stage, seeds):
    command = ["build/release/tests/sim/postrider_sim", "--seeds", seeds, "--jobs", CORES]
    passed = stage.check(stage.run("simulation", command) == 0)
    text = (LOGS / "unit-simulation.log").read_text()
    occurred = {name.strip(): int(number) for name, number in re.findall(r"^  (\S.*?)  +(\d+)$", text, re.MULTILINE)}
    lives = re.search(r"^(\d+) lives in ([\d.]+) s", text, re.MULTILINE)
    evidence.keep("simulation", " ".join(map(str, command[:3])), {"passed": passed, "first seed": 1, "lives": int(lives[1]) if lives else 0,
                                                                  "seconds": float(lives[2]) if lives else 0, "occurred": occurred})


def mutations(stage, full):
    """Faults planted in relay/, each of which the simulation must find."""
    if not full:
        stage.left_out.append("the faults planted for the simulation to find (tests/sim/mutate)")
        return
    stage.run("mutations", [PYTHON, "tests/sim/mutate"])
    lines = (LOGS / "unit-mutations.log").read_text().splitlines()
    counts = re.fullmatch(r"(\d+) passed, (\d+) failed", lines[-1] if lines else "")
    if stage.check(counts, "the planted faults were not all tried"):
        stage.passed += int(counts[1])
        stage.failed += int(counts[2])


def stage_servers(stage, full):
    """The unit tests of postgres/ and kafka/ that talk to a real server."""
    if not build(stage, "release"):
        return
    ctest(stage, "build/release/tests/unit/kafka", "kafka", ["tests/unit/kafka/with_broker"], ["-R", f"^({'|'.join(NEED_KAFKA)})[.]"], 1)
    for version in POSTGRES if full else POSTGRES_GATE:
        ctest(stage, "build/release/tests/unit/postgres", f"postgres-{version}", [PYTHON, "tests/unit/postgres/with_postgres", version],
              ["-R", f"^({'|'.join(NEED_POSTGRES)})[.]"], 1)
    ctest(stage, "build/release/tests/unit/monitor", "monitor", [PYTHON, "tests/unit/postgres/with_postgres", 15],
          ["-R", f"^({'|'.join(NEED_POSTGRES)})[.]"], 1)
    if not full:
        stage.left_out.append("the tests of postgres/ on " + ", ".join(str(version) for version in POSTGRES if version not in POSTGRES_GATE))


def stage_tidy(stage, full):
    """clang-tidy over our own sources: changed ones first, the others in turn until the gate's time is over."""
    if stage.run("configure", ["cmake", "--preset", "release"]) != 0:
        return stage.check(False)
    commands = json.loads((ROOT / "build" / "release" / "compile_commands.json").read_text())
    known = {str(pathlib.Path(command["file"]).resolve()) for command in commands}
    files = [file for file in sources("*.cc") if str(file) in known and "tests" not in file.relative_to(ROOT).parts]
    passed = TidyMemory()
    pending = [file for file in files if not passed.has(file)]
    deadline = time.monotonic() + (float("inf") if full else TIDY_GATE_S)

    def check(file):
        if time.monotonic() > deadline:
            return file, None, ""
        done = subprocess.run(["clang-tidy", "-p", "build/release", "--quiet", "--extra-arg=-Wno-unknown-warning-option", file], cwd=ROOT,
                              capture_output=True, text=True)
        return file, done.returncode == 0, done.stdout

    with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        for file, clean, output in pool.map(check, pending):
            name = file.relative_to(ROOT)
            if clean is None:
                stage.left_out.append(f"clang-tidy of {name}")
            elif clean:
                passed.add(file)
            else:
                stage.notes += [f"clang-tidy: {name}"] + ["  | " + line for line in output.splitlines()[:20]]
    stage.check(not stage.notes)


class TidyMemory:
    """Which files were clean, by the contents of all that they may depend on: a stamp file each in build/tidy."""

    def __init__(self):
        import hashlib
        self._hash = hashlib.sha256
        self._folder = ROOT / "build" / "tidy"
        self._folder.mkdir(parents=True, exist_ok=True)
        headers = self._hash()
        for file in [ROOT / ".clang-tidy", *sources("*.h")]:
            headers.update(file.read_bytes())
        self._headers = headers.hexdigest()

    def _stamp(self, file):
        return self._folder / self._hash(self._headers.encode() + str(file).encode() + file.read_bytes()).hexdigest()[:32]

    def has(self, file):
        return self._stamp(file).exists()

    def add(self, file):
        self._stamp(file).touch()


def stage_asan(stage, full):
    if build(stage, "asan"):
        ctest(stage, "build/asan", "asan", selection=WITHOUT_SERVERS,
              env=os.environ | {"ASAN_OPTIONS": "detect_stack_use_after_return=1:strict_string_checks=1",
                                "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1"})


def stage_tsan(stage, full):
    folders = [folder for folder in (THREADED_FULL if full else THREADED) if (ROOT / "tests" / "unit" / folder).exists()]
    if build(stage, "tsan", *(f"tests/unit/{folder}/all" for folder in folders)):
        for folder in folders:
            ctest(stage, f"build/tsan/tests/unit/{folder}", folder, selection=WITHOUT_SERVERS, env=os.environ | {"TSAN_OPTIONS": "halt_on_error=1"})


def stage_fuzz(stage, full):
    """Each target a short while, from its kept corpus; what it finds is left in build/fuzz/found."""
    if not build(stage, "fuzz", "tests/fuzz/all"):
        return
    seconds = FUZZ_FULL_S if full else FUZZ_S
    found = ROOT / "build" / "fuzz" / "found"
    found.mkdir(parents=True, exist_ok=True)
    targets = sorted(file for file in (ROOT / "build" / "fuzz" / "tests" / "fuzz").iterdir() if file.is_file() and os.access(file, os.X_OK))
    stage.check(targets, "there is no fuzz target")

    def fuzz(target):
        grown = ROOT / "build" / "fuzz" / "corpus" / target.name
        grown.mkdir(parents=True, exist_ok=True)
        kept = ROOT / "tests" / "fuzz" / "corpus" / target.name.removesuffix("_fuzz")
        clean = stage.run(target.name, [target, f"-max_total_time={seconds}", "-print_final_stats=1", "-timeout=10",
                                         "-rss_limit_mb=2048", f"-artifact_prefix={found}/", grown, *([kept] if kept.exists() else [])]) == 0
        executed = re.search(r"number_of_executed_units: (\d+)", (LOGS / f"fuzz-{target.name}.log").read_text(errors="replace"))
        stage.count("executions", target.name, int(executed[1]) if executed else 0)
        return clean

    with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        for clean in pool.map(fuzz, targets):
            stage.check(clean)
    if not full:
        stage.left_out.append(f"fuzzing of {FUZZ_FULL_S} s instead of {FUZZ_S} s a target")


def stage_conformance(stage, full):
    if not build(stage, "release", "postrider"):
        return
    recorded_cases(stage, 15, [] if full else GATE_CASES)
    if full:
        for version in (13, 17, 18):
            recorded_cases(stage, version, ["--every", 5])
        return
    all_cases = len(list((ROOT / "tests" / "conformance" / "cases").glob("*.json")))
    stage.left_out += [f"the other recorded cases, of {all_cases} in all, and a fifth of them on PostgreSQL 13, 17 and 18"]


def recorded_cases(stage, version, selection):
    stage.run(f"live-{version}", [PYTHON, "tests/conformance/run.py", "--postgres", version, *selection])
    lines = (LOGS / f"conformance-live-{version}.log").read_text().splitlines()
    counts = re.fullmatch(r"(\d+) passed, (\d+) failed", lines[-1] if lines else "")
    if stage.check(counts, f"the run on PostgreSQL {version} did not come to its end"):
        stage.passed += int(counts[1])
        stage.failed += int(counts[2])
        stage.count("recorded_cases_on_postgres", str(version), int(counts[1]))
    stage.notes += [f"PostgreSQL {version}: {line}" for line in lines if line.startswith("DIFFERS")]


def stage_e2e(stage, full):
    if not build(stage, "release", "postrider"):
        return
    report = LOGS / "e2e.xml"
    report.unlink(missing_ok=True)
    stage.run("pytest", [PYTHON, "-m", "pytest", "-c", "tests/e2e/pytest.ini", "tests/e2e", "tests/conformance", "tests/differential", "tests/bench",
                         f"--junitxml={report}", "--durations=25", *(["--full"] if full else [])])
    stage.count_junit(report)
    if not full:
        stage.left_out += ["PostgreSQL 14 and 16, the snapshot's crash on 13", "100, 20 and 20 kills instead of 15, 4 and 4",
                           "60 s of frozen broker instead of 20, 15 minutes without one instead of 20 s",
                           "300 MB of other writes instead of 100",
                           f"{stage.skipped} more tests of real servers, marked so: a slow broker, a full disk, who is paged by what, transforms beside the real Debezium",
                           "60 random configurations instead of 18 (the long run: tests/differential/run.py)"]


def stage_alerts(stage, full):
    """The rules and routes of ops/: promtool and amtool check them, promtool runs the tests of each alert. On real servers: tests/e2e/test_alerts.py."""
    rules = sorted((ROOT / "ops" / "prometheus").glob("rules*.yml"))
    stage.check(stage.run("rules", ["promtool", "check", "rules", *rules]) == 0)
    stage.check(stage.run("routes", ["amtool", "check-config", "ops/alertmanager/alertmanager.yml"]) == 0)
    tests = sorted((ROOT / "ops" / "prometheus" / "tests").glob("*.yml"))
    with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        for passed in pool.map(lambda test: stage.run(f"test-{test.stem}", ["promtool", "test", "rules", test]) == 0, tests):
            stage.check(passed)


def stage_soak(stage, full):
    """Hundreds of kills in a row."""
    if not full:
        stage.left_out.append(f"{SOAK_KILLS} kills in a row under load, 200 of the relay, 50 of PostgreSQL, 50 of the broker (tests/e2e/soak.py)")
        return
    if build(stage, "release", "postrider"):
        stage.check(stage.run("kills", [PYTHON, "tests/e2e/soak.py", "--kills", SOAK_KILLS]) == 0)


def stage_demo(stage, full):
    stage.check(stage.run("run", ["./demo", "-y"]) == 0)


STAGES = {name.removeprefix("stage_"): value for name, value in list(globals().items()) if name.startswith("stage_")}


def main():
    words = sys.argv[1:]
    full = "--full" in words
    names = [word for word in words if word != "--full"]
    unknown = [name for name in names if name not in STAGES]
    if unknown:
        sys.exit(f"test: no stage '{unknown[0]}': {' '.join(STAGES)}")
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
    os.environ["CMAKE_CXX_COMPILER_LAUNCHER"] = "ccache"
    os.environ["CMAKE_BUILD_PARALLEL_LEVEL"] = str(CORES)
    os.environ["CCACHE_BASEDIR"], os.environ["CCACHE_NOHASHDIR"] = str(ROOT), "1"  # another clone's objects count as well
    shutil.rmtree(LOGS, ignore_errors=True)
    LOGS.mkdir(parents=True)

    evidence.keep("versions", "./test", evidence.versions())
    done, begun = [], time.monotonic()
    for name in names or STAGES:
        print(f"== {name}", flush=True)
        stage, started = Stage(name), time.monotonic()
        STAGES[name](stage, full)
        evidence.keep(f"stage-{name}", f"./test {'--full ' * full}{name}", {
            "passed": stage.passed, "failed": stage.failed, "skipped": stage.skipped, "seconds": round(time.monotonic() - started)} | stage.figures)
        for note in stage.notes:
            print("   " + note)
        print(f"   {stage.passed} passed, {stage.failed} failed, {stage.skipped} skipped in {time.monotonic() - started:.0f} s", flush=True)
        done.append(stage)

    left_out = [line for stage in done for line in stage.left_out]
    if left_out:
        print("\nLeft to ./test --full:")
        print("\n".join("  " + line for line in left_out))
    minutes = (time.monotonic() - begun) / 60
    print(f"\n{minutes:.0f} minutes; the stages' own output is in build/test/")
    passed, failed, skipped = (sum(getattr(stage, what) for stage in done) for what in ("passed", "failed", "skipped"))
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    sys.exit(failed > 0 or passed == 0)


if __name__ == "__main__":
    main()
