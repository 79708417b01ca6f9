"""The command line: help with an example, the version, the nearest name, the configuration explained."""
import subprocess

import pytest
from harness import ExitCode
from harness.relay import EXAMPLE, binary, clean_environment


def postrider(*arguments, environment=None, stdin=""):
    return subprocess.run([binary(), *map(str, arguments)], capture_output=True, text=True, input=stdin, timeout=20,
                          env=clean_environment(environment))


def test_the_version():
    for arguments in (["--version"], ["version"]):
        answer = postrider(*arguments)
        assert answer.returncode == 0 and "postrider" in answer.stdout


@pytest.mark.parametrize("command", ["run", "config", "check", "setup", "handback", "monitor", "health"])
def test_help_has_an_example(command):
    answer = postrider(command, "--help")
    assert answer.returncode == 0 and f"postrider {command}" in answer.stdout


def test_help_names_the_commands():
    answer = postrider("--help")
    assert answer.returncode == 0 and "run" in answer.stdout and "config" in answer.stdout


def test_a_mistyped_command_gets_the_nearest_name():
    answer = postrider("rnu", EXAMPLE)
    assert answer.returncode == ExitCode.CONFIGURATION and "run" in answer.stderr.split()[-1] + answer.stderr
    assert answer.stdout == ""


def test_no_command_and_no_file():
    assert postrider().returncode == ExitCode.CONFIGURATION
    answer = postrider("run")
    assert answer.returncode == ExitCode.CONFIGURATION and "FILE" in answer.stderr


def test_config_explains_each_key_and_hides_secrets(tmp_path):
    file = tmp_path / "mine.properties"
    file.write_text("database.hostname=db\ndatabase.user=me\ndatabase.password=hush-hush\ndatabase.dbname=shop\nbootstrap.servers=k:9092\n"
                    "producer.linger.ms=5\ntasks.max=1\n")
    answer = postrider("config", EXAMPLE, file, environment={"POSTRIDER_SLOT_NAME": "from_environment"})
    assert answer.returncode == 0, answer.stderr
    assert "hush-hush" not in answer.stdout + answer.stderr and "***" in answer.stdout
    lines = {line.split()[0].split("=")[0]: line for line in answer.stdout.splitlines() if line.strip()}
    assert "mine.properties:1" in lines["database.hostname"]
    assert "from_environment" in lines["slot.name"] and "POSTRIDER_SLOT_NAME" in lines["slot.name"]
    assert "linger.ms" in lines["producer.linger.ms"]


def test_standard_input_and_set(tmp_path):
    answer = postrider("config", "-", "--set", "slot.name=from_set", stdin=EXAMPLE.read_text() + "database.hostname=db\ndatabase.user=me\n"
                       "database.dbname=shop\nbootstrap.servers=k:9092\n")
    assert "from_set" in answer.stdout
