"""Connections that break, go silent or are ended by the server, processes that stop for a while, a broker that is full, away or slow: all
under load, with wal_sender_timeout = 5s. Each ends with the ledger: nothing missing, commit order per key, no lag."""
import os
import random
import signal
import subprocess
import time

import pytest
from harness import ExitCode, Kafka, Proxy, new_folder, wait_for
from harness.outbox import Writer
from harness.relay import AS_TEXT

WAL_SENDER_TIMEOUT_S = 5
MEMORY_MB = 100


@pytest.fixture(scope="module")
def broker_proxy():
    proxy = Proxy()
    yield proxy
    proxy.close()


@pytest.fixture(scope="module")
def broker(broker_proxy):
    """One broker behind a proxy for all tests of this file."""
    made = Kafka(proxy=broker_proxy)
    yield made
    made.kill9()


@pytest.fixture
def database_proxy(new_proxy, servers):
    return new_proxy(servers(15).port)


@pytest.fixture
def impatient(new_site):
    """impatient(broker): a corner on the shared PostgreSQL, whose walsenders wait five seconds for an answer."""
    def make(broker):
        made = new_site(broker=broker)
        made.sql(f"ALTER DATABASE {made.database} SET wal_sender_timeout = '{WAL_SENDER_TIMEOUT_S}s'")
        return made
    return make


@pytest.fixture
def site(impatient, broker):
    return impatient(broker)


@pytest.fixture
def new_relay(site, broker_proxy, database_proxy):
    """new_relay(settings): a relay that reaches both servers through the proxies."""
    def make(settings=None):
        return site.relay({"snapshot.mode": "no_data", "database.port": database_proxy.port,
                           "bootstrap.servers": f"127.0.0.1:{broker_proxy.port}"} | (settings or {})).start()
    return make


@pytest.fixture
def relay(new_relay):
    return new_relay()


def warm_up(site):
    """A writer whose events have begun to arrive."""
    writer = Writer(site).start()
    site.wait_records(50)
    return writer


def progress(site, timeout_s):
    """Seconds until events that are committed from now on are confirmed."""
    started = time.monotonic()
    site.wait_all_confirmed(timeout_s)
    return time.monotonic() - started


@pytest.mark.limit(600)
def test_connections_cut_and_reset_at_random_moments(site, relay, broker_proxy, database_proxy, full):
    writer, broken = warm_up(site), {"cut": 0, "reset": 0}
    for _ in range(200 if full else 24):
        time.sleep(random.uniform(0.02, 0.8))
        way = random.choice(list(broken))
        broken[way] += getattr(random.choice([broker_proxy, database_proxy]), way)()
    assert min(broken.values()) > 0, broken
    repeats = writer.check_everything_arrived()
    print(f"{broken} connections; {repeats} repeats")
    assert relay.runs == 1 and relay.stop() == ExitCode.STOPPED


@pytest.mark.limit(300)
@pytest.mark.parametrize("direction", [pytest.param("up", marks=pytest.mark.full), "down"])
def test_a_broker_that_falls_silent_is_given_up(site, new_relay, broker_proxy, direction):
    """request.timeout.ms decides, as in Java: what is in flight is sent again on a new connection."""
    relay = new_relay({"producer.request.timeout.ms": "5000"})
    writer, walsender = warm_up(site), relay.walsender()
    broker_proxy.stall(direction)
    print(f"events went on after {progress(site, 60):.1f} s; {writer.check_everything_arrived()} repeats")
    assert relay.walsender() == walsender, "the database's connection has nothing to do with it"
    assert relay.stop() == ExitCode.STOPPED


def test_a_relay_that_was_stopped_for_longer_than_wal_sender_timeout(site, relay):
    writer, before = warm_up(site), relay.walsender()
    relay.child.freeze()
    wait_for(lambda: relay.walsender() is None, 30, "the walsender gone by wal_sender_timeout", 0.2)
    relay.child.thaw()
    wait_for(lambda: relay.walsender() not in (None, before), 20, "a new walsender", 0.1)
    repeats = writer.check_everything_arrived()
    print(f"{repeats} repeats")
    assert relay.runs == 1 and relay.stop() == ExitCode.STOPPED


@pytest.mark.full
def test_a_walsender_that_does_not_run_for_longer_than_its_timeout(site, relay):
    writer, walsender = warm_up(site), relay.walsender()
    os.kill(walsender, signal.SIGSTOP)
    try:
        time.sleep(WAL_SENDER_TIMEOUT_S + 2)
        assert relay.running()
    finally:
        os.kill(walsender, signal.SIGCONT)
    print(f"events went on after {progress(site, 30):.1f} s; {writer.check_everything_arrived()} repeats")
    assert relay.runs == 1 and relay.stop() == ExitCode.STOPPED


def test_all_sessions_of_the_relay_terminated_again_and_again(site, relay, full):
    """The walsender and the SQL connection, which looks at publication and timeline."""
    writer, ended = warm_up(site), 0
    for _ in range(50 if full else 8):
        time.sleep(random.uniform(0.1, 1))
        ended += len(site.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
                              "AND application_name ILIKE '%%postrider%%'"))
    assert ended > 0, site.sql("SELECT application_name FROM pg_stat_activity WHERE datname = current_database()")
    repeats = writer.check_everything_arrived()
    print(f"{ended} sessions; {repeats} repeats")
    assert relay.runs == 1 and relay.stop() == ExitCode.STOPPED


def test_a_password_that_changes_in_its_file_is_read_at_the_next_connection(site, new_relay, database_proxy, tmp_path):
    site.sql(f"CREATE ROLE {site.slot} LOGIN SUPERUSER REPLICATION PASSWORD 'first-secret' IN ROLE with_password")
    secrets = tmp_path / "secrets.properties"
    secrets.write_text("password=first-secret\n")
    relay = new_relay({"database.user": site.slot, "database.password": f"${{file:{secrets}:password}}"})
    writer, before = warm_up(site), relay.walsender()
    site.sql(f"ALTER ROLE {site.slot} PASSWORD 'second-secret'")
    database_proxy.reset()
    relay.wait_says("password authentication failed")
    assert relay.running(), "a password refused after a good start may be a rotation"
    secrets.write_text("password=second-secret\n")
    wait_for(lambda: relay.walsender() not in (None, before), 60, lambda: f"a new walsender\n{relay.child.tail()}", 0.1)
    writer.check_everything_arrived()
    assert relay.runs == 1 and relay.stop() == ExitCode.STOPPED
    assert "-secret" not in relay.output()


@pytest.mark.limit(180)
def test_a_server_stops_fast_while_an_event_is_held(new_site, new_postgres):
    """Within postrider.server.stop.drain.ms, although the relay does not read its connection; then all goes on as before."""
    site = new_site(new_postgres(15, {"wal_sender_timeout": f"{WAL_SENDER_TIMEOUT_S}s"}))
    site.kafka.create_topic(site.topic, config={"max.message.bytes": "20000"})
    relay = site.relay({"snapshot.mode": "no_data", "postrider.server.stop.drain.ms": "3000"}).start()
    site.insert(key="large", payload_bytes=50_000)
    relay.wait_says("state=held")
    started = time.monotonic()
    site.postgres.stop("fast", timeout_s=30)
    stopped_s = time.monotonic() - started
    print(f"the server stopped in {stopped_s:.1f} s")
    assert stopped_s < 3 + 5
    site.postgres.start()
    relay.wait_streaming(30)
    site.kafka.set_topic_config(site.topic, "max.message.bytes", "1000000")
    site.wait_all_confirmed()
    assert len(site.records()) == 1
    assert relay.runs == 1 and relay.stop() == ExitCode.STOPPED


@pytest.fixture
def small_disk():
    """A file system of 64 MB of its own."""
    folder = new_folder("disk")
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", folder]).returncode != 0:
        pytest.skip("needs the right to mount a file system")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def fill(folder, left_bytes):
    """A file that takes all of the file system but this much."""
    state, ballast = os.statvfs(folder), folder / "ballast"
    with open(ballast, "wb") as file:
        os.posix_fallocate(file.fileno(), 0, state.f_bavail * state.f_bsize - left_bytes)
    return ballast


@pytest.mark.full
@pytest.mark.limit(300)
def test_the_brokers_disk_is_full_and_then_is_not(small_disk, impatient, new_kafka):
    site = impatient(new_kafka({"log.dirs": str(small_disk / "data"), "metadata.log.dir": str(new_folder("metadata"))}))
    relay = site.relay({"snapshot.mode": "no_data"}).start()
    writer, walsender = warm_up(site), relay.walsender()
    ballast = fill(small_disk, left_bytes=200_000)
    site.insert(rows=300, key="large", payload_bytes=10_000)
    wait_for(lambda: not site.kafka.child.running(), 60, lambda: f"the broker gives up\n{site.kafka.child.tail()}")
    relay.wait_says("kafka_away", 60)
    time.sleep(6)  # longer than wal_sender_timeout
    assert relay.running() and relay.walsender() == walsender

    ballast.unlink()
    site.kafka.start()
    repeats = writer.check_everything_arrived()
    assert len({record.id for record in site.records() if record.key == b"large"}) == 300
    print(f"{repeats} repeats")
    assert relay.runs == 1 and relay.walsender() == walsender and relay.peak_mb() < MEMORY_MB
    assert relay.stop() == ExitCode.STOPPED


@pytest.mark.full
@pytest.mark.limit(2000)
def test_a_broker_that_is_away_for_long(site, relay, full):
    writer, walsender = warm_up(site), relay.walsender()
    site.kafka.kill9()
    away_s = 900 if full else 20
    ends_at, cpu_before = time.monotonic() + away_s, relay.cpu_s()
    while time.monotonic() < ends_at:
        assert relay.running() and relay.walsender() == walsender
        time.sleep(1)
    assert relay.cpu_s() - cpu_before < away_s * 0.1, "it waits, and does not spin"
    assert relay.peak_mb() < MEMORY_MB

    site.kafka.start()
    started = time.monotonic()
    site.wait_all_confirmed(180)
    print(f"{time.monotonic() - started:.1f} s to catch up; {writer.check_everything_arrived()} repeats; {relay.peak_mb():.0f} MB at the most")
    assert relay.runs == 1 and relay.walsender() == walsender
    assert relay.stop() == ExitCode.STOPPED


@pytest.mark.full
@pytest.mark.limit(1200)
def test_a_large_transaction_through_a_slow_broker(site, new_relay, broker_proxy, full):
    rows, relay = 2_000_000 if full else 200_000, new_relay(AS_TEXT)
    site.insert(key="first")
    site.wait_records(1)
    walsender, silence_s = relay.walsender(), [0.0]
    broker_proxy.slow_down(1_000_000)
    started = time.monotonic()
    site.insert(rows=rows)

    def published():
        silence_s.append(site.postgres.value("SELECT extract(epoch FROM clock_timestamp() - reply_time)::float8 FROM pg_stat_replication "
                                             "WHERE pid = %s", (walsender,)))
        return site.count() > rows
    wait_for(published, 1000, site.tails, 0.2)
    broker_proxy.slow_down(None)
    print(f"{rows} rows in {time.monotonic() - started:.0f} s; {relay.peak_mb():.0f} MB at the most; {max(silence_s):.1f} s between statuses")
    assert max(silence_s) < 5
    site.wait_all_confirmed()
    site.wait_confirmed()
    assert relay.walsender() == walsender and relay.peak_mb() < MEMORY_MB
    records = site.records()
    assert len(records) == len({record.id for record in records}) == rows + 1
    assert relay.stop() == ExitCode.STOPPED


@pytest.mark.limit(300)
def test_a_server_that_falls_silent_is_given_up(site, relay, database_proxy):
    """The connection is there and nothing comes: the kernels see nothing wrong, the walsender has gone by wal_sender_timeout."""
    writer, before = warm_up(site), relay.walsender()
    database_proxy.stall()
    started = time.monotonic()
    wait_for(lambda: relay.walsender() not in (None, before), 90, lambda: f"a new walsender\n{relay.child.tail()}", 0.2)
    print(f"a silent server was given up after {time.monotonic() - started:.1f} s")
    writer.check_everything_arrived()
    assert relay.stop() == ExitCode.STOPPED


@pytest.mark.limit(180)
def test_a_connection_that_ends_while_an_event_is_held_is_made_anew(site):
    """Whatever wal_sender_timeout is."""
    site.sql(f"ALTER DATABASE {site.database} SET wal_sender_timeout = '60s'")
    site.kafka.create_topic(site.topic, config={"max.message.bytes": "20000"})
    relay = site.relay({"snapshot.mode": "no_data"}).start()
    site.insert(key="large", payload_bytes=50_000)
    relay.wait_says("state=held")
    before = relay.walsender()
    site.sql("SELECT pg_terminate_backend(%s)", (before,))
    wait_for(lambda: relay.walsender() not in (None, before), 5, lambda: f"a new walsender\n{relay.child.tail()}", 0.1)
    site.kafka.set_topic_config(site.topic, "max.message.bytes", "1000000")
    site.wait_all_confirmed()
    assert relay.stop() == ExitCode.STOPPED
