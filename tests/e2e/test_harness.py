"""The harness itself: what every other test stands on."""
import os
import pathlib
import signal
import subprocess
import sys
import textwrap

import pytest
from harness import Postgres
from harness.outbox import Writer

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_a_server_comes_back_with_its_data_after_kill9():
    postgres = Postgres(15)
    postgres.sql("CREATE TABLE t AS SELECT 1 AS n")
    postgres.kill9()
    postgres.start()
    assert postgres.value("SELECT n FROM t") == 1
    postgres.stop()


def test_children_and_scratch_folder_go_with_the_process():
    program = textwrap.dedent("""
        import harness, time
        postgres = harness.Postgres(15)
        print(harness.scratch(), postgres.child.pid, flush=True)
        time.sleep(60)""")
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=ROOT / "tests" / "e2e")
    folder, pid = process.stdout.readline().split()
    process.send_signal(signal.SIGTERM)
    process.wait(30)
    assert not pathlib.Path(folder).exists()
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)


def test_the_writer_knows_what_it_committed(site):
    writer = Writer(site).start()
    for _ in range(3):
        site.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
        site.sql("SELECT pg_sleep(0.5)")
    writer.stop()
    committed = sum(len(events) for events in writer.committed().values())
    deleted = site.sql("SELECT count(*) FROM ledger l WHERE NOT EXISTS (SELECT FROM outbox o WHERE o.id = l.id)")[0][0]
    assert committed == site.rows() + deleted
    assert deleted > 0 and committed > 100
