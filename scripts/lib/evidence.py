"""What a run has found, kept as one JSON file each in build/evidence: scripts/evidence makes EVIDENCE.md of them."""
import datetime
import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPS = ROOT / ".deps"
FOLDER = ROOT / "build" / "evidence"


def commit():
    """The commit that the tree is at, with a plus sign where it was changed since; None outside of a repository."""
    def git(*words):
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else None
    name = git("rev-parse", "--short=12", "HEAD")
    return name and name + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")


def versions():
    """Of the servers and libraries that the tests use, and of the compiler."""
    def first(*command):
        try:
            done = subprocess.run(command, capture_output=True, text=True)
        except OSError:
            return None
        found = re.search(r"\d+(?:\.\d+)+", done.stdout)
        return found and found[0]

    def of_jar(folder, name):
        jar = next((DEPS / folder / "libs").glob(f"{name}-[0-9]*.jar"), None)
        return jar and jar.stem.removeprefix(name + "-")
    servers = [pathlib.Path("/usr/lib/postgresql/15/bin/postgres"), *DEPS.glob("postgres/*/bin/postgres")]
    header = DEPS / "librdkafka" / "lib" / "pkgconfig" / "rdkafka.pc"
    found = {
        "PostgreSQL": ", ".join(sorted(filter(None, (first(str(server), "--version") for server in servers)), key=lambda text: float(text))),
        "Kafka": ", ".join(filter(None, (of_jar("kafka-3.9", "kafka-clients"), of_jar("kafka", "kafka-clients")))),
        "Debezium": of_jar("debezium", "debezium-connector-postgres"),
        "librdkafka": header.exists() and re.search(r"^Version: (\S+)", header.read_text(), re.MULTILINE)[1],
        "g++": first("g++", "--version"),
        "clang": first("clang", "--version"),
    }
    return {name: version for name, version in found.items() if version}


def keep(name, command, figures, folder=FOLDER):
    """Writes NAME.json: the figures with the command, the time and the commit; the file."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.json"
    content = {"command": command, "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"), "commit": commit()}
    file.write_text(json.dumps(content | figures, indent=1, ensure_ascii=False) + "\n")
    return file
