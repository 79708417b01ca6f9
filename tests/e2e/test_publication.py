"""The publication while the relay runs: a table that table.include.list matches does not stay out of it in silence."""
import pytest
from harness import ExitCode

WATCH_TIMEOUT_S = 45  # it looks every 30 s


def second_outbox(site):
    site.sql("CREATE TABLE outbox_eu (LIKE outbox INCLUDING ALL)")


def insert(site, table, event):
    site.sql(f"INSERT INTO {table} (aggregatetype, aggregateid, type, payload) VALUES (%s, %s, 'Placed', '{{}}')", (site.name, event))


@pytest.mark.full
@pytest.mark.limit(180)
def test_a_table_that_is_made_later_is_added_and_its_earlier_rows_are_named_as_lost(site):
    relay = site.relay({"table.include.list": "public.outbox.*"}).start()
    second_outbox(site)
    insert(site, "outbox_eu", "before")
    relay.wait_says("table_published", WATCH_TIMEOUT_S)
    line = next(line for line in relay.output().splitlines() if "table_published" in line)
    assert " ERROR " in line and "public.outbox_eu" in line and "rows committed before" in line
    insert(site, "outbox_eu", "after")
    records = site.wait_records(1)
    assert [record.key for record in records] == [b"after"]
    assert relay.stop() == ExitCode.STOPPED


@pytest.mark.full
@pytest.mark.limit(180)
def test_where_the_publication_is_not_ours_to_alter_the_statement_is_named(site):
    site.sql(f"CREATE PUBLICATION {site.slot}_publication FOR TABLE outbox WITH (publish = 'insert')")
    relay = site.relay({"table.include.list": "public.outbox.*", "publication.autocreate.mode": "disabled"}).start()
    second_outbox(site)
    relay.wait_says("unpublished_table", WATCH_TIMEOUT_S)
    line = next(line for line in relay.output().splitlines() if "unpublished_table" in line)
    assert f'ALTER PUBLICATION "{site.slot}_publication" ADD TABLE "public"."outbox_eu"' in line.replace('\\"', '"')
    assert relay.running()
    assert relay.stop() == ExitCode.STOPPED
