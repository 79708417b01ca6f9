"""The role of sql/03-role.sql is all that the relay needs for its whole life, and allows nothing beyond it."""
import pathlib

import psycopg2
import pytest
from harness import ExitCode, wait_for

SQL = pathlib.Path(__file__).resolve().parents[2] / "sql"
FORBIDDEN = (
    "INSERT INTO public.outbox (aggregatetype, aggregateid, type, payload) VALUES ('a', 'b', 'c', '{}')",
    "UPDATE public.outbox SET type = 'x'",
    "DELETE FROM public.outbox",
    "TRUNCATE public.outbox",
    "ALTER TABLE public.outbox ADD more int",
    "SELECT * FROM public.ledger",
    "CREATE TABLE public.mine (n int)",
    "CREATE SCHEMA mine",
    "CREATE PUBLICATION mine",
    "ALTER PUBLICATION outbox_publication SET (publish = 'insert, delete')",
    "DROP PUBLICATION outbox_publication",
    "CREATE ROLE more SUPERUSER",
    "ALTER ROLE postrider SUPERUSER",
    "GRANT pg_signal_backend TO postrider",
    "ALTER SYSTEM SET wal_level = 'minimal'",
    "SELECT pg_read_file('/etc/passwd')",
    "COPY (SELECT 1) TO PROGRAM 'true'",
    "SELECT rolpassword FROM pg_authid",
)


@pytest.fixture(params=[13, pytest.param(14, marks=pytest.mark.full), pytest.param(15, marks=pytest.mark.full), pytest.param(16, marks=pytest.mark.full),
                        pytest.param(17, marks=pytest.mark.full), 18])
def site(request, new_site, servers):
    """The outbox, the publication that its owner made, and the role with a password."""
    made = new_site(servers(request.param))
    made.sql("CREATE PUBLICATION outbox_publication FOR TABLE public.outbox WITH (publish = 'insert')")
    if request.param < 15:
        made.sql("REVOKE CREATE ON SCHEMA public FROM PUBLIC")  # as the file says
    made.postgres.psql(SQL / "03-role.sql", made.database)
    made.sql("ALTER ROLE postrider PASSWORD 'role-secret'; GRANT with_password TO postrider")
    yield made
    for relay in made.relays:
        if relay.running():
            relay.kill9()
    made.postgres.drop_slot(made.slot)
    made.sql("DROP OWNED BY postrider")
    made.postgres.sql("DROP ROLE postrider")


def as_role(site, settings=None):
    return site.relay({"database.user": "postrider", "database.password": "role-secret", "publication.name": "outbox_publication",
                       "publication.autocreate.mode": "disabled"} | (settings or {}))


def test_a_whole_life_with_the_least_rights(site):
    """Snapshot and slot at the first start, the stream, a cut, a kill, a second relay that stands by and takes over, a clean stop."""
    site.insert(rows=3, key="old")
    first = as_role(site).start()
    site.insert(key="new")
    site.wait_records(4)
    before = first.walsender()
    site.sql("SELECT pg_terminate_backend(%s)", (before,))
    wait_for(lambda: first.walsender() not in (None, before), 20, lambda: f"a new walsender\n{first.child.tail()}", 0.1)
    second = as_role(site, {"postrider.state.file": first.settings["postrider.state.file"], "postrider.slot.takeover": "wait"})
    second.start(wait=False).wait_says("standby")
    site.insert(key="both")
    site.wait_all_confirmed()
    first.kill9()
    wait_for(second.walsender, 20, lambda: f"the second streams\n{second.child.tail()}", 0.1)
    site.insert(key="after")
    site.wait_all_confirmed()
    assert sorted({record.key for record in site.records()}) == [b"after", b"both", b"new", b"old"]
    assert len({record.id for record in site.records()}) == 6
    assert second.stop() == ExitCode.STOPPED
    assert "ERROR" not in second.output(), second.child.tail()


def test_a_slot_that_the_owner_made_needs_no_right_to_read(site):
    site.sql("SELECT pg_create_logical_replication_slot(%s, 'pgoutput')", (site.slot,))
    site.sql("REVOKE SELECT ON public.outbox FROM postrider")
    relay = as_role(site, {"snapshot.mode": "no_data"}).start()
    site.insert(rows=3)
    site.wait_all_confirmed()
    assert len(site.records()) == 3
    assert relay.stop() == ExitCode.STOPPED


def test_the_role_can_do_no_more(site):
    connection = site.connect(user="postrider", password="role-secret")
    cursor = connection.cursor()
    for statement in FORBIDDEN:
        with pytest.raises(psycopg2.errors.InsufficientPrivilege):
            cursor.execute(statement)
            pytest.fail(f"allowed: {statement}")
    connection.close()
    assert site.sql("SELECT rolsuper, rolcreaterole, rolcreatedb, rolbypassrls, rolreplication FROM pg_roles WHERE rolname = 'postrider'") == [
        (False, False, False, False, True)]
