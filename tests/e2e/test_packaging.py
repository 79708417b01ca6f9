"""The image, the composition and the unit: checked as far as that goes without a Docker engine."""
import pathlib
import re
import subprocess

from harness.relay import binary, read_properties

ROOT = pathlib.Path(__file__).resolve().parents[2]
# In every Debian image: apt itself needs them.
IN_THE_BASE = {"libc6", "libstdc++6", "libgcc-s1"}


def owners_of(files):
    """The Debian packages of files; dpkg may know them under /lib or under /usr/lib, which are one folder."""
    paths = [path for file in files for path in (file, f"/usr{file}", file.removeprefix("/usr"))]
    answer = subprocess.run(["dpkg", "-S", *paths], capture_output=True, text=True).stdout
    found = {path: package for package, path in re.findall(r"^([^:\n]+)(?::\w+)?: (\S+)$", answer, re.MULTILINE)}
    return {next(found[path] for path in (file, f"/usr{file}", file.removeprefix("/usr")) if path in found) for file in files}


def test_the_image_has_every_library_that_the_program_needs():
    needed = re.findall(r"NEEDED\s+(\S+)", subprocess.run(["objdump", "-p", binary()], check=True, capture_output=True, text=True).stdout)
    files = dict(re.findall(r"(\S+) => (\S+)", subprocess.run(["ldd", binary()], check=True, capture_output=True, text=True).stdout))
    packages = owners_of([files[library] for library in needed if library in files])
    assert "libpq5" in packages
    image = set((ROOT / "Dockerfile").read_text().split("debian:12-slim")[1].split())
    assert packages - IN_THE_BASE - image == set()


def test_the_composition_is_valid_and_complete():
    composed = subprocess.run(["docker-compose", "-f", ROOT / "docker-compose.yml", "config"], capture_output=True, text=True)
    assert composed.returncode == 0, composed.stderr
    for word in ("wal_level=logical", "max_slot_wal_keep_size", "pg_isready", "service_healthy", "stop_grace_period"):
        assert word in composed.stdout, word
    for file in re.findall(r"\./(\S+?):/", (ROOT / "docker-compose.yml").read_text()):
        assert (ROOT / file).is_file(), file


def test_the_example_runs_with_the_variables_of_the_composition():
    variables = dict(re.findall(r"(POSTRIDER_[A-Z_]+): (\S+)", (ROOT / "docker-compose.yml").read_text()))
    assert variables == {"POSTRIDER_DATABASE_HOSTNAME": "postgres", "POSTRIDER_BOOTSTRAP_SERVERS": "kafka:9092"}
    shown = subprocess.run([binary(), "config", ROOT / "examples/outbox.properties", ROOT / "examples/local.properties"], capture_output=True,
                           text=True, env=variables)
    assert shown.returncode == 0, shown.stdout + shown.stderr
    assert "kafka:9092" in shown.stdout


def test_the_unit_does_not_restart_what_a_restart_cannot_help():
    unit = ROOT / "ops" / "postrider.service"
    assert "RestartPreventExitStatus=2 4 5 6 9\n" in unit.read_text()
    assert "TimeoutStopSec=10\n" in unit.read_text()


def test_the_examples_are_what_debezium_runs_on():
    """No key of our own: the same file still runs there."""
    keys = read_properties(ROOT / "examples" / "outbox.properties") | read_properties(ROOT / "examples" / "local.properties")
    assert not [key for key in keys if key.startswith("postrider.")]
    assert keys["connector.class"] == "io.debezium.connector.postgresql.PostgresConnector"
