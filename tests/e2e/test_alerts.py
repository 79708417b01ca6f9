"""Things break; who is woken? Real servers, a relay, a monitor beside it, Prometheus and Alertmanager with the files of ops/, sixty times as fast.

Each test breaks one thing and says which alerts reached the pager and when, which were inhibited by them, and what /readyz said. One page for
a fault that needs a person at night, none for the others."""
import contextlib
import dataclasses
import itertools
import pathlib
import sys
import time

import psycopg2
import pytest
from confluent_kafka.admin import AclBinding, AclOperation, AclPermissionType, ResourcePatternType, ResourceType
from harness import Background, ExitCode, Postgres, wait_for
from harness.alerting import FASTER, Alertmanager, Desk, Prometheus, programs_missing
from harness.monitor import Monitor, Pages

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "lib"))
import evidence  # noqa: E402

pytestmark = pytest.mark.skipif(bool(programs_missing()), reason="needs scripts/install-deps test")

LIMITED = {"max_slot_wal_keep_size": "10GB"}
NO_DATA = {"snapshot.mode": "no_data"}
MEGABYTE = 1024 * 1024


@dataclasses.dataclass
class Row:
    fault: str
    paged: str
    after_s: float | None
    inhibited: set
    tickets: set
    ready: str

    def __str__(self):
        after = "" if self.after_s is None else f"{self.after_s:.0f} s"
        return " | ".join([self.fault, self.paged or "nobody", after, ", ".join(sorted(self.inhibited)), ", ".join(sorted(self.tickets)), self.ready])


@pytest.fixture(scope="module")
def table(full):
    """Rows of all tests; printed, and kept for EVIDENCE.md where all have run."""
    rows = []
    yield rows
    print("\nfault | paged | after | inhibited | tickets | /readyz")
    for row in rows:
        print(row)
    if full:
        evidence.keep("alerts", "pytest tests/e2e/test_alerts.py --full", {"rows": [str(row).split(" | ") for row in rows]})


class Traffic(Background):
    """An application that writes an event every 200 ms, through everything, and other rows at `megabytes_per_s`."""

    def __init__(self, site, megabytes_per_s=0):
        self.site, self.rows = site, int(megabytes_per_s * MEGABYTE / 5 / 8000)
        site.sql("CREATE TABLE IF NOT EXISTS other (pad text); ALTER TABLE other ALTER pad SET STORAGE EXTERNAL")

    def run(self):
        begun = time.monotonic()
        for number in itertools.count(1):
            if self.stopping.wait(max(0, begun + number / 5 - time.monotonic())):
                return
            with contextlib.suppress(psycopg2.Error):
                self.site.insert(key=str(number))
                if self.rows:
                    self.site.sql("INSERT INTO other SELECT repeat('x', 8000) FROM generate_series(1, %s)", (self.rows,))


class Watched:
    """A relay that streams, a monitor, Prometheus and Alertmanager, all quiet at first."""

    def __init__(self, site, faster=FASTER):
        self.site = site
        self.relay = site.relay(NO_DATA).start()
        self.pages = Pages(self.relay.settings["postrider.http.address"])
        self.monitor = Monitor(self.relay).start()
        self.desk = Desk()
        self.alertmanager = Alertmanager(self.desk, faster)
        self.prometheus = Prometheus({"postrider": self.pages.address, "postrider-monitor": self.monitor.address}, self.alertmanager, faster)
        self.prometheus.wait(f'postrider:slot:oldest_unpublished_age_seconds{{slot="{site.slot}"}} < bool 3', 60)
        self.inhibited = set()

    def look(self, seconds):
        """Watches for so long what Alertmanager silences."""
        ends_at = time.monotonic() + seconds
        while time.monotonic() < ends_at:
            self.inhibited |= self.alertmanager.inhibited()
            time.sleep(0.5)

    def ready(self):
        """Status of /readyz, and its first words."""
        code, line = self.pages.get("/readyz", timeout_s=2)
        return "no answer" if code is None else f"{code} {line.split(':')[0].strip()}"

    def row(self, fault, began):
        pages, tickets = self.desk.rings("page"), self.desk.rings("ticket")
        return Row(fault, ", ".join(name for _, names in pages for name in names), pages[0][0] - began if pages else None, self.inhibited,
                   {name for _, names in tickets for name in names}, self.ready())

    def close(self):
        for child in (self.prometheus.child, self.alertmanager.child, self.monitor.child):
            child.kill9()
        self.desk.close()


@pytest.fixture
def watch(table):
    """watch(site): all that watches it."""
    made = []

    def make(site, **options):
        made.append(Watched(site, **options))
        return made[-1]

    yield make
    for watched in made:
        watched.relay.child.thaw()
        watched.close()


@pytest.fixture(scope="module")
def limited():
    """A server that limits what slots retain, shared by the tests that leave it whole."""
    made = Postgres(15, LIMITED)
    yield made
    made.kill9()


@pytest.fixture
def judge(table):
    """judge(watched, fault, began, page=, tickets=, inhibited=, ready=): one page or none, and no ticket that is not meant."""
    def check(watched, fault, began, page=None, tickets=(), inhibited=(), ready=None):
        row = watched.row(fault, began)
        table.append(row)
        print(row)
        assert row.paged == (page or ""), f"{row}\n{watched.prometheus.firing()}"
        assert row.tickets == set(tickets), row
        assert set(inhibited) <= row.inhibited, row
        if ready:
            assert row.ready.startswith(ready), row
    return check


@pytest.mark.full
@pytest.mark.limit(240)
def test_a_relay_that_is_killed_and_never_started_again_while_the_log_grows(new_site, new_postgres, watch, judge):
    site = new_site(new_postgres(15, {"max_slot_wal_keep_size": "512MB", "max_wal_size": "1GB"}))
    watched = watch(site)
    with Traffic(site, megabytes_per_s=4):
        began = time.time()
        watched.relay.kill9()
        watched.look(45)
    judge(watched, "relay killed, never started again, the log grows", began, page="PostriderEventsLate",
          inhibited=["PostriderNoLeader", "PostriderSlotLossSoon"], ready="no answer")


@pytest.mark.full
@pytest.mark.limit(240)
def test_a_transaction_of_many_rows(new_site, limited, watch, judge):
    """A million rows that are written for twenty minutes, sixty times as fast."""
    site = new_site(limited)
    watched = watch(site)
    with Traffic(site):
        began = time.time()
        connection = site.connect()
        connection.autocommit = False
        cursor = connection.cursor()
        for _ in range(20):
            cursor.execute("INSERT INTO outbox (aggregatetype, aggregateid, type, payload) SELECT %s, n::text, 'Placed', "
                           "jsonb_build_object('pad', repeat('x', 300)) FROM generate_series(1, 850) n", (site.name,))
            time.sleep(1)
        connection.commit()
        watched.look(20)
    judge(watched, "huge transaction", began, ready="200")


@pytest.mark.full
@pytest.mark.limit(240)
def test_a_broker_that_is_down(new_site, limited, new_kafka, watch, judge):
    site = new_site(limited, new_kafka())
    watched = watch(site)
    with Traffic(site):
        began = time.time()
        site.kafka.kill9()
        watched.look(30)
    judge(watched, "broker down", began, page="PostriderEventsLate", ready="503")


@pytest.mark.full
@pytest.mark.limit(240)
def test_a_hot_standby_that_takes_over(new_site, limited, watch, judge):
    site = new_site(limited)
    watched = watch(site)
    second = site.relay(NO_DATA | {"postrider.slot.takeover": "wait", "postrider.state.file": watched.relay.settings["postrider.state.file"]})
    second.start(wait=False)
    standby = Pages(second.settings["postrider.http.address"])
    wait_for(lambda: standby.get("/readyz")[0] == 200, 20, lambda: second.child.tail())
    with Traffic(site):
        began = time.time()
        watched.look(15)
        watched.relay.kill9()
        watched.pages = standby
        watched.look(20)
    judge(watched, "slot busy: a hot standby, which takes over", began, ready="200 ready role=leader")


@pytest.mark.full
@pytest.mark.limit(240)
def test_a_slot_that_is_lost(new_site, new_postgres, watch, judge):
    server = new_postgres(15, {"max_slot_wal_keep_size": "32MB", "max_wal_size": "32MB", "min_wal_size": "4MB"}, initdb_options=["--wal-segsize=1"])
    site = new_site(server)
    watched = watch(site)
    began = time.time()
    watched.relay.kill9()
    site.sql("CREATE TABLE other (pad text); ALTER TABLE other ALTER pad SET STORAGE EXTERNAL")
    for _ in range(4):
        site.sql("INSERT INTO other SELECT repeat('x', 8000) FROM generate_series(1, 2500)")
        server.sql("CHECKPOINT")
    with Traffic(site):
        watched.relay.start(wait=False)
        watched.relay.wait_exit(ExitCode.SLOT)
        watched.look(30)
    judge(watched, "slot lost", began, page="PostriderSlotLost", inhibited=["PostriderEventsLate"], ready="no answer")


@pytest.mark.full
@pytest.mark.limit(240)
def test_a_relay_that_is_frozen(new_site, limited, watch, judge):
    site = new_site(limited)
    watched = watch(site)
    with Traffic(site):
        began = time.time()
        watched.relay.child.freeze()
        watched.look(25)
        judge(watched, "relay frozen", began, page="PostriderEventsLate", ready="no answer")


@pytest.mark.full
@pytest.mark.limit(240)
def test_a_database_that_is_down(new_site, new_postgres, watch, judge):
    site = new_site(new_postgres(15, LIMITED))
    watched = watch(site)
    with Traffic(site):
        began = time.time()
        site.postgres.stop("immediate")
        watched.look(30)
    judge(watched, "PostgreSQL down", began, page="PostriderEventsLate", inhibited=["PostriderWatcherStale"], ready="503")


@pytest.mark.full
@pytest.mark.limit(300)
def test_a_transaction_that_stays_open(new_site, limited, watch, judge):
    site = new_site(limited)
    watched = watch(site)
    began = time.time()
    open_one = site.connect()
    open_one.autocommit = False
    open_one.cursor().execute("INSERT INTO ledger (id, key, number) VALUES (gen_random_uuid(), 'open', 1)")
    with Traffic(site):
        watched.look(85)
    judge(watched, "open transaction", began, tickets=["PostriderSlotPinned"], ready="200")
    open_one.close()


@pytest.mark.full
@pytest.mark.limit(240)
def test_an_hour_without_events(new_site, limited, watch, judge):
    site = new_site(limited)
    site.insert()
    watched = watch(site)
    began = time.time()
    watched.look(60)
    judge(watched, "idle hour", began, ready="200")


@pytest.mark.full
@pytest.mark.limit(240)
def test_an_event_that_is_held(new_site, limited, watch, judge):
    site = new_site(limited)
    site.kafka.create_topic(site.topic, config={"max.message.bytes": "20000"})
    watched = watch(site)
    with Traffic(site):
        began = time.time()
        site.insert(key="large", payload_bytes=50_000)
        watched.look(25)
    judge(watched, "held event", began, page="PostriderEventsLate", tickets=["PostriderEventHeld"], ready="503")


@pytest.mark.full
@pytest.mark.limit(240)
def test_a_right_that_is_taken_away(new_site, limited, new_kafka, watch, judge):
    """By Kafka's own authorizer."""
    site = new_site(limited, new_kafka({"authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                                        "allow.everyone.if.no.acl.found": "true"}))
    site.kafka.create_topic(site.topic)
    watched = watch(site)
    with Traffic(site):
        site.wait_records(5)
        denied = AclBinding(ResourceType.TOPIC, site.topic, ResourcePatternType.LITERAL, "User:ANONYMOUS", "*", AclOperation.WRITE, AclPermissionType.DENY)
        site.kafka.admin.create_acls([denied])[denied].result(20)
        began = time.time()
        watched.look(25)
    judge(watched, "ACL denied", began, page="PostriderEventsLate", tickets=["PostriderEventHeld"], ready="503")


@pytest.mark.full
@pytest.mark.limit(600)
def test_the_true_rules_at_their_true_pace(new_site, limited, watch, judge):
    """A deploy that takes a minute wakes nobody; a relay that stays away does, after two minutes and what Prometheus and Alertmanager wait for."""
    site = new_site(limited)
    watched = watch(site, faster=1)
    with Traffic(site):
        began = time.time()
        assert watched.relay.stop() == ExitCode.STOPPED
        watched.look(60)
        watched.relay.start()
        watched.look(60)
        judge(watched, "a deploy, the relay away for 60 s, at true pace", began, ready="200")
        began = time.time()
        watched.relay.kill9()
        watched.look(240)
    judge(watched, "relay killed, at true pace", began, page="PostriderEventsLate", ready="no answer")
