"""Servers that tests share, and fresh ones for tests that break them."""
import signal

import pytest
from harness import Cluster, Kafka, Postgres, Proxy, Site, cleanup
from harness.tls import Authority, GuardedKafka
from harness.process import struck


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="everything, at full length")


def pytest_collection_modifyitems(config, items):
    if not config.getoption("--full"):
        for item in items:
            if item.get_closest_marker("full"):
                item.add_marker(pytest.mark.skip(reason="only with --full"))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Adds what the relays of a failed test said last."""
    report = (yield).get_result()
    if report.when == "call" and report.failed:
        for site in getattr(item, "sites", ()):
            for relay in site.relays:
                if relay.child:
                    report.sections.append((f"relay {relay.slot}, exit code {relay.child.process.poll()}", relay.child.tail(40)))
            report.sections.append((f"PostgreSQL {site.postgres.version}", site.postgres.child.tail(40)))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    """Notes in the JUnit file what the test did to processes and connections."""
    before = struck.copy()
    yield
    item.user_properties += (struck - before).items()


@pytest.fixture(autouse=True)
def _limit(request):
    """Ends a test that hangs, with a traceback."""
    marker = request.node.get_closest_marker("limit")
    seconds = marker.args[0] if marker else 120

    def expire(_number, _frame):
        raise TimeoutError(f"the test took more than {seconds} s")

    before = signal.signal(signal.SIGALRM, expire)
    signal.alarm(seconds)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def pytest_sessionfinish():
    cleanup()


@pytest.fixture(scope="session")
def full(request):
    """True with --full: tests choose their length by it."""
    return request.config.getoption("--full")


@pytest.fixture(scope="session")
def servers():
    """servers(version): a PostgreSQL that all tests share, started at first use."""
    running = {}

    def get(version=15):
        if version not in running:
            running[version] = Postgres(version)
        return running[version]

    return get


@pytest.fixture(scope="session")
def kafka():
    """The broker that all tests share."""
    return Kafka()


@pytest.fixture(scope="session")
def authority():
    """Signs the certificates of the servers that want TLS."""
    return Authority("ours")


@pytest.fixture(scope="session")
def guarded_kafka(authority):
    """The broker, shared too, with a door for each way in. The user `relay` has the password scram-secret."""
    broker = GuardedKafka(authority)
    broker.set_password("scram-secret")
    return broker


@pytest.fixture
def new_postgres():
    """new_postgres(version, settings, initdb_options): a server for one test, to stop, freeze or kill."""
    made = []

    def make(version=15, settings=None, initdb_options=()):
        made.append(Postgres(version, settings, initdb_options))
        return made[-1]

    yield make
    for server in made:
        if server.child.running():
            server.kill9()


@pytest.fixture
def new_kafka():
    """new_kafka(settings, password, release=...): a broker for one test."""
    made = []

    def make(settings=None, password=None, **options):
        made.append(Kafka(settings, password, **options))
        return made[-1]

    yield make
    for server in made:
        if server.running():
            server.kill9()


@pytest.fixture
def cluster():
    """Three brokers for one test."""
    made = Cluster()
    yield made
    made.kill9()


@pytest.fixture
def new_proxy():
    """new_proxy(target_port): a proxy in front of one port."""
    made = []

    def make(target_port=None):
        made.append(Proxy(target_port))
        return made[-1]

    yield make
    for proxy in made:
        proxy.close()


@pytest.fixture
def new_site(request, servers, kafka, new_postgres, new_kafka):
    """new_site(postgres, kafka, encoding=...): a corner of its own on these servers (the shared ones where not given), cleared away after the test."""
    request.node.sites = []

    def make(postgres=None, broker=None, **options):
        made = Site(postgres or servers(15), broker or kafka, request.node.name.split("[")[0].removeprefix("test_"), **options)
        request.node.sites.append(made)
        return made

    yield make
    for made in request.node.sites:
        made.close()


@pytest.fixture
def site(new_site):
    """A corner on the shared PostgreSQL 15 and the shared broker."""
    return new_site()
