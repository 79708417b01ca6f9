"""A PostgreSQL server of our own: Debian's 15, or 13, 14, 16, 17, 18 from .deps.

Roles connect by trust, except members of the role `with_password`, who need theirs (scram-sha-256). The data survives
kill9() and start(), as a machine's would: fsync is off, for no test here takes the operating system away.
"""
import os
import pathlib
import pwd
import shutil
import signal
import subprocess

import psycopg2
import psycopg2.errors

from .process import DEPS, Child, free_port, new_folder, scratch, wait_for

VERSIONS = (13, 14, 15, 16, 17, 18)

SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "wal_level": "logical",
    "max_wal_senders": "40",
    "max_replication_slots": "40",
    "max_prepared_transactions": "10",
    "max_connections": "100",
    "password_encryption": "scram-sha-256",  # 13 has another default
    "fsync": "off",
    "log_replication_commands": "on",
    "log_line_prefix": "%n [%p] %q%a ",  # seconds since 1970, pid, application
    "timezone": "UTC",
    "log_timezone": "UTC",
}

HBA = """
host all,replication +with_password 127.0.0.1/32 scram-sha-256
host all,replication all 127.0.0.1/32 trust
"""


def binaries(version):
    """The bin folder of a major version, usable by the server's user."""
    folder = pathlib.Path("/usr/lib/postgresql/15/bin") if version == 15 else DEPS / "postgres" / str(version) / "bin"
    if not (folder / "initdb").exists():
        raise RuntimeError(f"PostgreSQL {version} is not installed: run scripts/install-deps test")
    if version == 15 or os.geteuid() != 0 or _can_run(folder / "postgres"):
        return folder
    copy = scratch() / f"postgres-{version}"  # the tree lies where only root may look: a copy then
    if not copy.exists():
        shutil.copytree(folder.parent, copy, symlinks=True)
    return copy / "bin"


def _can_run(program):
    user = server_user()
    return subprocess.run(["setpriv", "--reuid", user, "--regid", user, "--clear-groups", "test", "-x", program]).returncode == 0


def server_user():
    """Who runs the server: ourselves, or somebody without rights where we are root."""
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid()).pw_name
    try:
        return pwd.getpwnam("postgres").pw_name
    except KeyError:
        return "nobody"


class Postgres:
    def __init__(self, version=15, settings=None, initdb_options=()):
        self.version, self.port = version, free_port()
        self.folder = new_folder(f"pg{version}")
        self.log, self.data = self.folder / "server.log", self.folder / "data"
        self.settings = SETTINGS | {"port": str(self.port)} | (settings or {})
        self.child = None
        self.user = server_user()
        if os.geteuid() == 0:
            shutil.chown(self.folder, self.user)
        maker = Child(f"initdb {version}", [binaries(version) / "initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8",
                                            "--no-locale", "-N", *initdb_options], self.folder / "initdb.log", user=self.user)
        if maker.wait(180) != 0:
            raise RuntimeError(f"initdb of PostgreSQL {version} failed\n{maker.tail()}")
        (self.data / "pg_hba.conf").write_text(HBA)
        self.write_settings()
        self.start()
        self.sql("CREATE ROLE with_password NOLOGIN")

    def write_settings(self):
        (self.data / "postgresql.conf").write_text("".join(f"{key} = '{value}'\n" for key, value in self.settings.items()))

    def start(self):
        for _ in range(20):  # after kill9 the last backend may still hold the shared memory for a moment
            self.child = Child(f"postgres {self.version}", [binaries(self.version) / "postgres", "-D", self.data], self.log, user=self.user,
                               on_parent_death="QUIT")
            wait_for(lambda: not self.child.running() or self.answers(), 180, lambda: f"PostgreSQL started\n{self.child.tail()}")
            if self.child.running():
                return self
        raise RuntimeError(f"PostgreSQL {self.version} does not start\n{self.child.tail()}")

    def answers(self):
        try:
            self.connect(connect_timeout=2).close()
            return True
        except psycopg2.OperationalError:
            return False

    def stop(self, mode="fast", timeout_s=60):
        """smart, fast or immediate, as pg_ctl's modes."""
        self.child.signal({"smart": signal.SIGTERM, "fast": signal.SIGINT, "immediate": signal.SIGQUIT}[mode])
        self.child.wait(timeout_s)

    def kill9(self):
        self.child.kill9()

    def freeze(self):
        self.child.freeze()

    def thaw(self):
        self.child.thaw()

    def connect(self, database="postgres", user="postgres", **options):
        connection = psycopg2.connect(host="127.0.0.1", port=self.port, dbname=database, user=user, client_encoding="UTF8", **options)
        connection.autocommit = True
        return connection

    def sql(self, statement, parameters=None, database="postgres", user="postgres"):
        """Runs it on a connection of its own; the rows, or None where there are none."""
        connection = self.connect(database, user)
        try:
            with connection.cursor() as cursor:
                cursor.execute(statement, parameters)
                return cursor.fetchall() if cursor.description else None
        finally:
            connection.close()

    def value(self, statement, parameters=None, database="postgres"):
        rows = self.sql(statement, parameters, database)
        return rows[0][0] if rows else None

    def psql(self, file, database="postgres", user="postgres"):
        """Runs a file as its reader would; its output."""
        return subprocess.run(["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", str(self.port), "-U", user, "-d", database,
                               "-f", str(file)], check=True, capture_output=True, text=True, cwd=scratch()).stdout

    # ---- what the server knows of a slot ------------------------------------------------------------------------------

    def streaming_pid(self, slot):
        """The walsender that streams the slot; None while there is none."""
        return self.value("SELECT r.pid FROM pg_stat_replication r JOIN pg_replication_slots s ON s.active_pid = r.pid "
                          "WHERE s.slot_name = %s AND r.state = 'streaming'", (slot,))

    def stream_command_at(self, slot):
        """When the last START_REPLICATION of the slot came, by the server's log (seconds since 1970); None where none came."""
        times = [float(line.split()[0]) for line in self.log.read_text(errors="replace").splitlines()
                 if "START_REPLICATION" in line and f'"{slot}"' in line]
        return times[-1] if times else None

    def confirmed_lsn(self, slot):
        return self.value("SELECT confirmed_flush_lsn::text FROM pg_replication_slots WHERE slot_name = %s", (slot,))

    def sent_lsn(self, slot):
        """How far the walsender has sent, as a number."""
        return self.value("SELECT pg_wal_lsn_diff(sent_lsn, '0/0')::bigint FROM pg_stat_replication r JOIN pg_replication_slots s "
                          "ON r.pid = s.active_pid WHERE slot_name = %s", (slot,))

    def unconfirmed_bytes(self, slot):
        return self.value("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn)::bigint FROM pg_replication_slots "
                          "WHERE slot_name = %s", (slot,))

    def slot_exists(self, slot):
        return bool(self.value("SELECT true FROM pg_replication_slots WHERE slot_name = %s", (slot,)))

    def drop_slot(self, slot):
        def dropped():
            try:
                self.sql("SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = %s", (slot,))
                return True
            except psycopg2.errors.ObjectInUse:
                return False
        wait_for(dropped, 20, f"slot {slot} dropped", 0.1)
