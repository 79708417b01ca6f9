"""Metrics, health and status over HTTP, by the relay itself and by `postrider monitor` beside it, on real servers."""
import itertools
import shutil
import socket
import subprocess
import threading
import time

import pytest
from harness import Background, ExitCode, wait_for
from harness.monitor import Monitor, Pages
from harness.relay import binary

NO_DATA = {"snapshot.mode": "no_data"}
MEGABYTE = 1024 * 1024


def pages_of(relay):
    return Pages(relay.settings["postrider.http.address"])


def start(site, settings=None):
    """A relay that streams, and its pages; the watcher has made its first round."""
    relay = site.relay(NO_DATA | (settings or {})).start()
    pages = pages_of(relay)
    pages.wait_metric("postrider_watcher_up", lambda up: up == 1)
    return relay, pages


@pytest.fixture
def new_monitor():
    """new_monitor(relay): a monitor that ends with the test."""
    made = []

    def make(relay, settings=None, wait=True):
        made.append(Monitor(relay, settings).start(wait))
        return made[-1]

    yield make
    for monitor in made:
        monitor.child.kill9()


class BusyTable(Background):
    """Another table of the same database that is written to at a steady rate."""

    def __init__(self, site, megabytes_per_s, rounds_per_s=20):
        self.site, self.bytes, self.pause_s = site, int(megabytes_per_s * MEGABYTE / rounds_per_s), 1 / rounds_per_s
        site.sql("CREATE TABLE busy (pad text); ALTER TABLE busy ALTER pad SET STORAGE EXTERNAL")

    def run(self):
        connection = self.site.connect(options="-c synchronous_commit=off")
        cursor, begun = connection.cursor(), time.monotonic()
        for number in itertools.count(1):
            if self.stopping.is_set():
                return connection.close()
            cursor.execute("INSERT INTO busy SELECT repeat('x', 8000) FROM generate_series(1, %s)", (self.bytes // 8000,))
            time.sleep(max(0, begun + number * self.pause_s - time.monotonic()))


def test_metrics_are_there_and_right(site):
    relay, pages = start(site)
    site.insert(rows=10, payload_bytes=100)
    labels = {"table": "public.outbox", "topic": site.topic}
    pages.wait_metric("postrider_events_total", lambda events: events == 10, outcome="acknowledged", **labels)
    assert pages.metric("postrider_events_total", outcome="read", **labels) == 10
    assert pages.metric("postrider_events_total", outcome="routed", **labels) == 10
    assert pages.metric("postrider_event_bytes_total", outcome="acknowledged", **labels) > 1000
    for name in ("commit_to_ack", "produce_to_ack"):
        assert pages.metric(f"postrider_{name}_seconds_count") == 10
        assert 0 < pages.metric(f"postrider_{name}_seconds_sum") / 10 < 30
    assert pages.metric("postrider_state", state="streaming") == 1 == pages.metric("postrider_state")
    assert pages.metric("postrider_leader") == pages.metric("postrider_kafka_reachable") == 1
    pages.wait_metric("postrider_slot_active", lambda active: active == 1, slot=site.slot)
    assert pages.metric("postrider_slot_wal_unlimited") == 1 and pages.metric("postrider_slot_safe_wal_bytes") is None
    assert abs(pages.metric("postrider_last_ack_timestamp_seconds") - time.time()) < 20
    pages.wait_metric("postrider_published_until_timestamp_seconds", lambda until: abs(until - time.time()) < 5)
    pages.wait_metric("postrider_slot_unconfirmed_bytes", lambda lag: lag < 20_000)
    pages.wait_metric("postrider_kafka_messages_total", lambda messages: messages >= 10)

    wait_for(lambda: pages.get("/readyz")[0] == 200, 20, lambda: pages.get("/readyz")[1])
    assert pages.get("/livez")[0] == pages.get("/leaderz")[0] == 200
    assert pages.get("/readyz")[1].startswith("ready role=leader state=streaming")
    status = pages.status()
    assert (status["role"], status["slot"]["active_pid"], status["relay"]["events_acknowledged"]) == ("leader", relay.walsender(), 10)
    assert status["tables"][0]["events"]["acknowledged"] == 10 and status["history"] and status["parked"] == []
    assert relay.stop() == ExitCode.STOPPED


def test_promtool_finds_nothing_to_complain_of(site):
    if not shutil.which("promtool"):
        pytest.skip("promtool is not installed: scripts/install-deps test")
    _relay, pages = start(site)
    site.insert(rows=3)
    pages.wait_metric("postrider_kafka_messages_total", lambda messages: messages >= 3)
    done = subprocess.run(["promtool", "check", "metrics"], input=pages.get("/metrics")[1], capture_output=True, text=True)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.full
@pytest.mark.limit(180)
def test_lag_and_age_grow_while_the_broker_is_silent(new_site, new_kafka):
    site = new_site(broker=new_kafka())
    _relay, pages = start(site)
    site.insert()
    pages.wait_metric("postrider_oldest_unpublished_age_seconds", lambda age: age == 0)
    site.kafka.freeze()
    site.insert()
    frozen = time.monotonic()
    for _ in range(8):
        time.sleep(2)
        site.sql("INSERT INTO ledger (id, key, number) VALUES (gen_random_uuid(), 'x', 1)")
        passed = time.monotonic() - frozen
        assert passed - 2 < pages.age_s() < passed + 2
        assert pages.get("/livez")[0] == 200
    code, line = pages.get("/readyz")
    assert code == 503 and "no answer from Kafka" in line, line
    assert pages.get("/leaderz")[0] == 200
    assert pages.metric("postrider_slot_unconfirmed_bytes") > 0
    site.kafka.thaw()
    pages.wait_metric("postrider_oldest_unpublished_age_seconds", lambda age: age == 0, 60)
    wait_for(lambda: pages.get("/readyz")[0] == 200, 20, lambda: pages.get("/readyz")[1])


@pytest.mark.limit(180)
def test_a_monitor_goes_on_while_the_relay_is_frozen_and_when_it_is_dead(site, new_monitor):
    relay, _pages = start(site)
    site.insert()
    monitor = new_monitor(relay)
    monitor.wait_metric("postrider_oldest_unpublished_age_seconds", lambda age: age == 0)
    assert monitor.metric("postrider_state") is None and monitor.metric("postrider_events_total") is None
    relay.child.freeze()
    site.insert()
    first, at = monitor.wait_metric("postrider_oldest_unpublished_age_seconds", lambda age: age > 2), time.monotonic()
    time.sleep(10)
    grown, passed = monitor.age_s() - first, time.monotonic() - at
    assert abs(grown - passed) < 0.5, f"{grown:.1f} s in {passed:.1f} s"
    relay.child.thaw()
    monitor.wait_metric("postrider_oldest_unpublished_age_seconds", lambda age: age == 0)

    relay.kill9()
    site.insert(rows=100, payload_bytes=1000)
    monitor.wait_metric("postrider_slot_active", lambda active: active == 0)
    before = monitor.metric("postrider_slot_retained_bytes")
    site.insert(rows=1000, payload_bytes=1000)
    monitor.wait_metric("postrider_slot_retained_bytes", lambda retained: retained > before + 1_000_000)
    monitor.wait_metric("postrider_oldest_unpublished_age_seconds", lambda age: age > 5)
    assert monitor.get("/readyz")[0] == 200 and monitor.get("/leaderz")[0] == 503
    assert monitor.stop() == 0


@pytest.mark.limit(180)
def test_the_age_stays_small_with_a_quiet_outbox_beside_a_busy_table(new_site, new_postgres, new_monitor):
    site = new_site(new_postgres(15, {"max_wal_size": "4GB"}))
    relay, pages = start(site)
    site.insert()
    monitor = new_monitor(relay)
    pages.wait_metric("postrider_oldest_unpublished_age_seconds", lambda age: age == 0)
    with BusyTable(site, megabytes_per_s=20):
        pages.wait_metric("postrider_wal_bytes_per_second", lambda rate: rate > 4 * MEGABYTE, 30)
        ages = []
        for _ in range(60):
            ages += [pages.age_s(), monitor.age_s()]
            time.sleep(0.25)
        rate = pages.metric("postrider_wal_bytes_per_second")
    known = [age for age in ages if age is not None]
    assert len(known) > 0.9 * len(ages), "a reading that comes late on a busy machine is absent, but seldom"
    assert max(known) < 3, f"{max(known)} s at {rate / MEGABYTE:.0f} MB/s"


def test_a_database_that_is_away_is_unknown_and_not_zero(new_site, new_postgres, new_monitor):
    site = new_site(new_postgres(15))
    relay, pages = start(site)
    site.insert()
    pages.wait_metric("postrider_oldest_unpublished_age_seconds", lambda age: age == 0)
    site.postgres.stop("immediate")
    pages.wait_metric("postrider_watcher_up", lambda up: up == 0)
    for name in ("postrider_slot_active", "postrider_slot_retained_bytes", "postrider_slot_loss_forecast_seconds", "postrider_wal_bytes_per_second"):
        assert pages.metric(name) is None, name
    pages.wait_metric("postrider_oldest_unpublished_age_seconds", lambda age: age > 3)
    assert pages.get("/livez")[0] == 200
    assert pages.get("/readyz")[0] == pages.get("/leaderz")[0] == 503

    monitor = new_monitor(relay, wait=False)
    wait_for(lambda: monitor.get("/readyz")[0] == 503, 20, "the monitor answers")
    assert monitor.age_s() is None, "it has never seen the server"
    assert monitor.stop() == 0
    site.postgres.start()
    pages.wait_metric("postrider_watcher_up", lambda up: up == 1, 30)
    wait_for(lambda: pages.get("/readyz")[0] == 200, 30, lambda: pages.get("/readyz")[1])


def test_a_standby_is_ready_and_is_no_leader(site):
    first, _pages = start(site)
    second = site.relay(NO_DATA | {"postrider.state.file": first.settings["postrider.state.file"]}).start(wait=False)
    pages = pages_of(second)
    wait_for(lambda: pages.get("/readyz")[0] == 200, 20, lambda: f"{pages.get('/readyz')}\n{second.child.tail()}")
    assert pages.get("/readyz")[1].startswith("ready role=standby state=standby")
    assert pages.get("/leaderz")[0] == 503
    assert pages.metric("postrider_leader") == 0 and pages.metric("postrider_slot_active") == 1
    first.kill9()
    wait_for(lambda: pages.get("/leaderz")[0] == 200, 20, lambda: pages.get("/leaderz")[1])
    assert second.stop() == ExitCode.STOPPED


def test_a_held_event_is_not_ready_and_alive(site):
    site.kafka.create_topic(site.topic, config={"max.message.bytes": "20000"})
    _relay, pages = start(site)
    site.insert(key="large", payload_bytes=50_000)
    pages.wait_metric("postrider_held_events", lambda held: held == 1)
    code, line = pages.get("/readyz")
    assert code == 503 and line.startswith("not ready role=leader state=held: ") and site.topic in line
    assert pages.get("/livez")[0] == 200
    status = pages.status()
    assert status["state"] == "held" and status["held"]["topic"] == site.topic
    assert any(trouble["event"] == "held" for trouble in status["troubles"])
    assert pages.metric("postrider_events_total", outcome="held") == 1


def test_an_address_that_is_taken(site):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        relay = site.relay(NO_DATA | {"postrider.http.address": address}).start(wait=False)
        assert "already in use" in relay.wait_exit(ExitCode.CONFIGURATION)
    try:
        default = socket.create_server(("127.0.0.1", 9465))
    except OSError:
        default = None  # somebody else has it: just as well
    relay = site.relay(NO_DATA | {"postrider.http.address": None}).start()
    relay.wait_says("http_off")
    site.insert()
    site.wait_records(1)
    if default:
        default.close()


def test_health_asks_without_curl(site):
    relay, pages = start(site)
    wait_for(lambda: pages.get("/readyz")[0] == 200, 20, lambda: pages.get("/readyz")[1])

    def health(*options):
        done = subprocess.run([binary(), "health", *options, *relay.files], capture_output=True, text=True, timeout=10)
        return done.returncode, done.stdout

    assert health("--live")[0] == health("--ready")[0] == 0
    assert health("--ready")[1].startswith("ready role=leader") and health("--ready")[1].count("\n") == 1
    relay.child.freeze()
    time.sleep(1)
    assert health("--live")[0] == 1, "a frozen relay answers nobody"
    relay.child.thaw()
    relay.stop()
    code, line = health("--ready")
    assert code == 1 and line.startswith("no answer from") and line.count("\n") == 1
    assert health()[0] == health("--live", "--ready")[0] == 2


def test_monitor_refuses_to_run_without_an_address(site):
    relay = site.relay()
    relay.start().stop()
    done = subprocess.run([binary(), "monitor", "--set", "postrider.http.address=off", *relay.files], capture_output=True, text=True, timeout=10)
    assert done.returncode == 2 and "postrider.http.address" in done.stderr


@pytest.mark.full
@pytest.mark.limit(400)
def test_the_forecast_is_right_from_half_of_the_limit_on(new_site, new_postgres, new_monitor):
    """Segments of 1 MB, a limit of 256 MB, 4 MB/s, a checkpoint every two seconds."""
    limit_mb = 256
    server = new_postgres(15, {"max_slot_wal_keep_size": f"{limit_mb}MB", "max_wal_size": "64MB", "min_wal_size": "32MB"},
                          initdb_options=["--wal-segsize=1"])
    site = new_site(server)
    relay, _pages = start(site)
    site.insert()
    monitor = new_monitor(relay)
    relay.kill9()
    stopping = threading.Event()

    def checkpoints():
        while not stopping.wait(2):
            server.sql("CHECKPOINT")

    checkpointer = threading.Thread(target=checkpoints, daemon=True)
    said, lost_at = [], None
    with BusyTable(site, megabytes_per_s=4 * 0.93):  # what a row takes beside its bytes
        checkpointer.start()
        while lost_at is None:
            time.sleep(0.5)
            if monitor.metric("postrider_slot_wal_status", status="lost") == 1:
                lost_at = time.monotonic()
                break
            safe, forecast = monitor.metric("postrider_slot_safe_wal_bytes"), monitor.metric("postrider_slot_loss_forecast_seconds")
            if safe is not None and safe < limit_mb * MEGABYTE / 2:
                said.append((time.monotonic(), forecast))
    stopping.set()
    checkpointer.join(10)
    wrong = [f"{lost_at - at:.1f} s before: {forecast:.1f} s" for at, forecast in said
             if abs(forecast - (lost_at - at)) > max(0.25 * (lost_at - at), 2.5)]
    print(f"{len(said)} forecasts, {len(wrong)} wrong")
    assert len(said) > 20 and not wrong, wrong
    assert monitor.metric("postrider_slot_loss_forecast_seconds") == 0
