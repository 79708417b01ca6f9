"""A hot standby of one of our servers, by streaming replication through a physical slot."""
import os
import shutil
import subprocess

from .postgres import Postgres, server_user
from .process import free_port, new_folder, wait_for


class Standby(Postgres):
    """Copies the data of `primary`, which is stopped and started for that: Debian's pg_basebackup is older than some of our servers.

    `sync_slots`: its worker keeps copies of the primary's failover slots (PostgreSQL 17); else wait_synced() asks for them, which is quicker."""

    SLOT = "standby"

    def __init__(self, primary, sync_slots=True):
        self.version, self.port, self.primary = primary.version, free_port(), primary
        self.folder = new_folder(f"pg{self.version}-standby")
        self.log, self.data = self.folder / "server.log", self.folder / "data"
        self.child, self.user = None, server_user()
        primary.sql("SELECT pg_create_physical_replication_slot(%s, true)", (self.SLOT,))
        primary.stop()
        shutil.copytree(primary.data, self.data)
        primary.start()
        shutil.rmtree(self.data / "pg_replslot")
        (self.data / "pg_replslot").mkdir(mode=0o700)
        (self.data / "standby.signal").touch()
        self.settings = primary.settings | {
            "port": str(self.port),
            "hot_standby": "on",
            "hot_standby_feedback": "on",
            "wal_receiver_status_interval": "1s",
            "primary_slot_name": self.SLOT,
            "primary_conninfo": f"host=127.0.0.1 port={primary.port} user=postgres dbname=postgres application_name={self.SLOT}",
        } | ({"sync_replication_slots": "on"} if sync_slots and self.version >= 17 else {})
        for name in ("synchronous_standby_names", "synchronized_standby_slots"):
            self.settings.pop(name, None)
        self.write_settings()
        if os.geteuid() == 0:
            subprocess.run(["chown", "-R", f"{self.user}:", self.folder], check=True)
        self.start()
        wait_for(lambda: primary.value("SELECT state FROM pg_stat_replication WHERE application_name = %s", (self.SLOT,)) == "streaming", 60,
                 lambda: f"the standby streams\n{self.child.tail()}")

    def wait_synced(self, slot, timeout_s=120):
        """Until the copy of a failover slot would survive a promotion."""
        def synced():
            self.primary.sql("SELECT pg_log_standby_snapshot()")  # lets the slot's restart position move on
            if "sync_replication_slots" not in self.settings:
                self.sql("SELECT pg_sync_replication_slots()")
            return self.value("SELECT synced AND NOT temporary AND invalidation_reason IS NULL FROM pg_replication_slots WHERE slot_name = %s",
                              (slot,))
        wait_for(synced, timeout_s, lambda: f"{slot} synced\n{self.child.tail()}", 0.2)

    def promote(self):
        self.sql("SELECT pg_promote(true, 60)")
