"""The image, the composition and the unit: checked as far as that goes without a Docker engine."""
import pathlib
import re
import shutil
import subprocess

import pytest
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


def test_the_composition_takes_every_right_away_from_the_relay():
    text = (ROOT / "docker-compose.yml").read_text()
    relay = text.split("\n  postrider:\n    build")[1].split("\nvolumes:")[0]
    for line in ("read_only: true", "cap_drop: [ALL]", 'security_opt: ["no-new-privileges:true"]', 'user: "10001:10001"'):
        assert f"\n    {line}" in relay, line
    for word in ("privileged", "cap_add", "network_mode", "docker.sock"):
        assert word not in relay.replace("no-new-privileges", ""), word
    assert re.findall(r"- (\S+):(\S+) #", relay) == [("postrider", "/var/lib/postrider")], "the one place it writes to"
    assert "USER 10001\n" in (ROOT / "Dockerfile").read_text()
    assert all(port.startswith("127.0.0.1:") for port in re.findall(r'ports: \["(.*)"\]', text)), "nothing is published beyond this machine"


def test_the_example_runs_with_the_variables_of_the_composition():
    variables = dict(re.findall(r"(POSTRIDER_[A-Z_]+): (\S+)", (ROOT / "docker-compose.yml").read_text()))
    assert variables == {"POSTRIDER_DATABASE_HOSTNAME": "postgres", "POSTRIDER_BOOTSTRAP_SERVERS": "kafka:9092",
                         "POSTRIDER_HTTP_ADDRESS": "0.0.0.0:9466"}
    shown = subprocess.run([binary(), "config", ROOT / "examples/outbox.properties", ROOT / "examples/local.properties"], capture_output=True,
                           text=True, env=variables)
    assert shown.returncode == 0, shown.stdout + shown.stderr
    assert "kafka:9092" in shown.stdout


UNIT = ROOT / "ops" / "postrider.service"
UNITS = sorted((ROOT / "ops").glob("*.service"))


def directives(unit=UNIT):
    """Name -> value; of those that are given twice the last."""
    lines = [line.split("=", 1) for line in unit.read_text().splitlines() if "=" in line and not line.startswith("#")]
    return dict(lines)


def test_the_unit_does_not_restart_what_a_restart_cannot_help():
    assert directives()["RestartPreventExitStatus"] == "2 4 5 6 9"
    assert directives()["TimeoutStopSec"] == "10"


def test_the_unit_reloads_and_has_folders_of_its_own():
    found = directives()
    assert found["ExecReload"] == "/bin/kill -HUP $MAINPID"
    assert found["StateDirectory"] == found["RuntimeDirectory"] == "postrider"


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_the_units_take_every_right_away(unit):
    wanted = {"CapabilityBoundingSet": "", "NoNewPrivileges": "yes", "ProtectSystem": "strict", "ProtectHome": "yes", "PrivateTmp": "yes",
              "PrivateDevices": "yes", "PrivateUsers": "yes", "ProtectKernelTunables": "yes", "ProtectKernelModules": "yes",
              "ProtectControlGroups": "yes", "RestrictNamespaces": "yes", "RestrictSUIDSGID": "yes", "MemoryDenyWriteExecute": "yes",
              "SystemCallArchitectures": "native", "UMask": "0077", "RestrictAddressFamilies": "AF_INET AF_INET6 AF_UNIX"}
    found = directives(unit)
    assert {name: found.get(name) for name in wanted} == wanted
    assert found["DynamicUser"] == "yes" and "User" not in found, "never root"


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_systemd_accepts_the_units_and_finds_little_exposed(unit, tmp_path):
    if shutil.which("systemd-analyze") is None:
        pytest.skip("needs systemd-analyze")
    runnable = tmp_path / unit.name
    runnable.write_text(unit.read_text().replace("/usr/local/bin/postrider", "/bin/true"))
    verified = subprocess.run(["systemd-analyze", "verify", runnable], capture_output=True, text=True)
    assert verified.returncode == 0 and unit.name not in verified.stderr, verified.stderr
    judged = subprocess.run(["systemd-analyze", "security", "--offline=true", "--threshold=15", runnable], capture_output=True, text=True)
    assert judged.returncode == 0, judged.stdout[-2000:]


def test_the_examples_are_what_debezium_runs_on():
    """No key of our own: the same file still runs there."""
    keys = read_properties(ROOT / "examples" / "outbox.properties") | read_properties(ROOT / "examples" / "local.properties")
    assert not [key for key in keys if key.startswith("postrider.")]
    assert keys["connector.class"] == "io.debezium.connector.postgresql.PostgresConnector"
