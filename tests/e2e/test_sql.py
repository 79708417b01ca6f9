"""The files of sql/, run as their reader runs them: by psql, on the oldest and the newest server."""
import pathlib

import psycopg2
import pytest

SQL = pathlib.Path(__file__).resolve().parents[2] / "sql"


@pytest.fixture(params=(13, 18))
def database(request, new_site, servers):
    """A database with the outbox (01-outbox.sql made it)."""
    site = new_site(servers(request.param))
    yield site
    for slot in site.postgres.sql("SELECT slot_name FROM pg_replication_slots WHERE database = %s", (site.database,)):
        site.postgres.drop_slot(slot[0])
    site.sql("DROP OWNED BY postrider")
    site.postgres.sql("ALTER SYSTEM RESET max_slot_wal_keep_size")
    site.postgres.sql("DROP ROLE postrider")


def test_every_file_runs_in_order_and_the_role_can_read_but_not_write(database):
    database.postgres.sql("DROP ROLE IF EXISTS postrider")
    for name in ("01-outbox.sql", "02-publication-slot.sql", "03-role.sql", "04-limits.sql", "lag.sql", "retention.sql", "inbox.sql"):
        database.postgres.psql(SQL / name, database.database)

    assert database.sql("SELECT pubinsert, pubupdate, pubdelete, pubtruncate FROM pg_publication") == [(True, False, False, False)]
    assert database.sql("SELECT plugin, temporary FROM pg_replication_slots WHERE slot_name = 'outbox'") == [("pgoutput", False)]
    relay = database.connect(user="postrider")
    with relay.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM public.outbox")
        with pytest.raises(psycopg2.errors.InsufficientPrivilege):
            cursor.execute("INSERT INTO public.outbox (aggregatetype, aggregateid, type, payload) VALUES ('a', 'b', 'c', '{}')")
    relay.close()
    assert database.postgres.value("SHOW max_slot_wal_keep_size") == "20GB"


def test_retention_deletes_old_rows_alone(database):
    database.postgres.psql(SQL / "03-role.sql", database.database)
    database.sql("INSERT INTO outbox (aggregatetype, aggregateid, type, payload, created_at) SELECT 'a', 'b', 'c', '{}', now() - n * interval '1 day' "
                 "FROM generate_series(1, 20) n")
    database.postgres.psql(SQL / "retention.sql", database.database)
    assert database.sql("SELECT count(*), max(now() - created_at) < interval '8 days' FROM outbox") == [(6, True)]
