"""The outbox is altered while it is streamed: schemas follow, also in what PostgreSQL's Relation message does not carry."""
import json

import pytest
from harness import Debezium

EXPAND = "transforms.outbox.table.expand.json.payload"
PLACEMENT = "transforms.outbox.table.fields.additional.placement"
REAL_ONE = pytest.param("debezium", marks=(pytest.mark.full, pytest.mark.limit(300)))


def next_value(site, alter=None):
    """The value of the event that is written after this ALTER.

    Each event is waited for: the catalogue is read later than the message that says that the table was altered, so events that wait behind an
    ALTER may show the next one already. Debezium reads it at the same point."""
    if alter:
        site.sql(f"ALTER TABLE outbox {alter}")
    known = site.count()
    site.insert()
    return json.loads(site.wait_records(known + 1)[-1].value)


@pytest.mark.parametrize("program", ["postrider", REAL_ONE])
def test_the_payloads_schema_follows_an_alter_table_in_mid_stream(site, program):
    """The same for both programs."""
    site.sql("ALTER TABLE outbox ALTER COLUMN payload TYPE text, ALTER COLUMN payload SET NOT NULL, ALTER COLUMN payload SET DEFAULT 'a'")
    relay = site.relay({EXPAND: "false"})
    running = relay.start() if program == "postrider" else Debezium(relay).start()
    try:
        assert next_value(site)["schema"] == {"type": "string", "optional": False, "default": "a"}
        assert next_value(site, "ALTER COLUMN payload SET DEFAULT 'b'")["schema"] == {"type": "string", "optional": False, "default": "b"}
        assert next_value(site, "ALTER COLUMN payload DROP NOT NULL")["schema"] == {"type": "string", "optional": True, "default": "b"}
        assert next_value(site, "ADD COLUMN extra int DEFAULT 7")["schema"] == {"type": "string", "optional": True, "default": "b"}
        assert next_value(site, "ALTER COLUMN payload DROP DEFAULT")["schema"] == {"type": "string", "optional": True}
        assert next_value(site, "ALTER COLUMN payload SET DEFAULT 'c', ALTER COLUMN payload SET NOT NULL, ALTER COLUMN extra DROP DEFAULT")["schema"] == {
            "type": "string", "optional": False, "default": "c"}
    finally:
        running.stop()


def test_an_envelopes_fields_follow_an_alter_table_in_mid_stream(site):
    """Debezium keeps an envelope's schema until the payload's schema changes or it is started anew; what is asserted is what it makes then."""
    site.sql("ALTER TABLE outbox ADD COLUMN tenant text NOT NULL DEFAULT 'a', ADD COLUMN n int NOT NULL DEFAULT 1")
    relay = site.relay({PLACEMENT: "tenant:envelope,n:envelope"}).start()

    def columns(alter=None):
        value = next_value(site, alter)
        fields = {field.pop("field"): field for field in value["schema"]["fields"]}
        assert set(fields) == set(value["payload"]) == {"payload", "tenant", "n"}
        return fields["tenant"], fields["n"], value["payload"]["tenant"], value["payload"]["n"]

    def column(kind, optional, default=None):
        return {"type": kind, "optional": optional} | ({} if default is None else {"default": default})

    assert columns() == (column("string", False, "a"), column("int32", False, 1), "a", 1)
    assert columns("ALTER COLUMN tenant SET DEFAULT 'b'") == (column("string", False, "b"), column("int32", False, 1), "b", 1)
    assert columns("ALTER COLUMN n DROP NOT NULL") == (column("string", False, "b"), column("int32", True, 1), "b", 1)
    assert columns("ADD COLUMN extra int DEFAULT 7") == (column("string", False, "b"), column("int32", True, 1), "b", 1)
    assert columns("ALTER COLUMN n DROP DEFAULT, ALTER COLUMN tenant DROP NOT NULL") == (column("string", True, "b"), column("int32", True), "b", None)
    relay.stop()
