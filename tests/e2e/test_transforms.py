"""The transforms that stand beside the Event Router: the same rows through Debezium and through the relay, compared byte for byte."""
import pytest
from confluent_kafka.admin import ConfigResource, ResourceType
from harness import Debezium, ExitCode, wait_for

KAFKA = "org.apache.kafka.connect.transforms"
CONVERTERS = {
    "simple": {"header.converter": "org.apache.kafka.connect.storage.SimpleHeaderConverter",
               "transforms.outbox.route.tombstone.on.empty.payload": "true"},
    "json": {"header.converter": "org.apache.kafka.connect.json.JsonConverter", "header.converter.schemas.enable": "true"},
}
TABLE = """CREATE TABLE public.{} (id uuid PRIMARY KEY, aggregatetype text NOT NULL, aggregateid text NOT NULL, type text, payload text,
                                   number int)"""


def settings_of(alias, kind, predicate=None, **options):
    """The keys of one transform; `predicate` may begin with a `!`."""
    keys = {f"transforms.{alias}.type": f"{KAFKA}.{kind}"}
    if predicate:
        keys |= {f"transforms.{alias}.predicate": predicate.lstrip("!"), f"transforms.{alias}.negate": str(predicate.startswith("!")).lower()}
    return keys | {f"transforms.{alias}.{name.replace('_', '.')}": value for name, value in options.items()}


def predicate_of(alias, kind, **options):
    return {f"predicates.{alias}.type": f"{KAFKA}.predicates.{kind}"} | {f"predicates.{alias}.{name}": value for name, value in options.items()}


def configuration(name):
    return {
        "table.include.list": "public.events,public.other",
        "value.converter": "org.apache.kafka.connect.json.JsonConverter",
        "value.converter.schemas.enable": "false",
        "extended.headers.enabled": "true",
        "tombstones.on.delete": "true",
        "transforms": "tables,dead,early,context,outbox,rename,mend,drop,tag,count,flag,none,day,half,big,trash,thrown,secret,last",
        "transforms.outbox.predicate": "isMoved",
        "transforms.outbox.table.fields.additional.placement": "type:header:eventType,number:partition",
        "predicates": "isOther,isMoved,isRenamed,hasType,isTombstone,isSecret,isTrash,hasTrash",
        "topic.creation.groups": "renamed",
        "topic.creation.renamed.include": rf"{name}\.renamed.*",
        "topic.creation.renamed.partitions": "4",
        "topic.creation.renamed.replication.factor": "1",
        "topic.creation.renamed.retention.ms": "123456789",
        "topic.creation.default.partitions": "2",
        "topic.creation.default.replication.factor": "1",
        # before the router, on the change event
        **settings_of("tables", "Filter", "isOther"),
        **settings_of("dead", "Filter", "isTombstone"),
        **settings_of("early", "InsertHeader", header="early", value_literal="before the router"),
        **settings_of("context", "DropHeaders", headers="__debezium.context.runId,early.not"),
        # behind it
        **settings_of("rename", "RegexRouter", regex=rf"outbox\.event\.({name})(?<rest>.*)", replacement="$1.renamed${rest}"),
        **settings_of("mend", "RegexRouter", regex="(.*) (.*)", replacement="$1-$2"),
        **settings_of("drop", "DropHeaders", "isRenamed", headers="eventType, gone"),
        **settings_of("tag", "InsertHeader", header="tag", value_literal='prod, eu "1"'),
        **settings_of("count", "InsertHeader", header="id", value_literal="12"),
        **settings_of("flag", "InsertHeader", "hasType", header="flag", value_literal="true"),
        **settings_of("none", "InsertHeader", "!isTombstone", header="none", value_literal="null"),
        **settings_of("day", "InsertHeader", header="day", value_literal="2020-01-31"),
        **settings_of("half", "InsertHeader", "isTombstone", header="half", value_literal="1.50"),
        **settings_of("big", "InsertHeader", header="big", value_literal="12345678901234567890"),
        **settings_of("trash", "InsertHeader", "isTrash", header="trash", value_literal=""),
        **settings_of("thrown", "Filter", "hasTrash"),
        **settings_of("secret", "Filter", "isSecret"),
        **settings_of("last", "RegexRouter", regex=rf"(?<a>{name})\.renamed-(?<b>.*)|{name}", replacement="${a}.${b}"),
        **predicate_of("isOther", "TopicNameMatches", pattern=r"app\.public\.other"),
        **predicate_of("isMoved", "TopicNameMatches", pattern=r"app\.public\.events"),
        **predicate_of("isRenamed", "TopicNameMatches", pattern=rf"{name}\.renamed"),
        **predicate_of("hasType", "HasHeaderKey", name="eventType"),
        **predicate_of("isTombstone", "RecordIsTombstone"),
        **predicate_of("isSecret", "TopicNameMatches", pattern=r".*\.secret"),
        **predicate_of("isTrash", "TopicNameMatches", pattern=r".*\.trash"),
        **predicate_of("hasTrash", "HasHeaderKey", name="trash"),
    }


PUBLISHED = 6


def write_rows(site):
    """The same rows at each call, PUBLISHED of which no Filter drops."""
    rows = [(site.name, "1", "Placed", '{"a": 1}', None), (f"{site.name} b", "1", None, '{"a": 1}', 1),
            (f"{site.name}.secret", "2", "Paid", "{}", None),
            (f"{site.name}.trash", "2", "Paid", "{}", None), (f"x {site.name}", "3", "Paid", "{}", None),
            (site.name, "3", "Gone", None, None),
            (f"x {site.name}", "4", "Gone", "", 1), (site.name, "5", "Gone", "text", 3), (f"{site.name}.secret", "6", "Paid", "{}", -1)]
    for number, row in enumerate(rows):
        event = f"00000000-0000-4000-8000-{number:012}"
        for table in ("other", "events"):
            site.sql(f"INSERT INTO public.{table} VALUES (%s, %s, %s, %s, %s, %s)", (event, *row))
    site.sql("DELETE FROM public.events")
    site.sql("DELETE FROM public.other")


def published(site):
    """Everything under the site's name once all is there: records without offset and time, topics with what was set for them."""
    def names():
        return sorted(topic for topic in site.kafka.topics() if site.name in topic)

    wait_for(lambda: site.kafka.count(names()) >= PUBLISHED, 60, lambda: f"{PUBLISHED} records in {names()}\n{site.tails()}", 0.2)
    records = [(record.topic, record.partition, record.key, record.value, record.headers) for record in site.kafka.records(names())]
    metadata = site.kafka.admin.list_topics(timeout=10).topics
    topics = {}
    for topic in names():
        resource = ConfigResource(ResourceType.TOPIC, topic)
        entries = site.kafka.admin.describe_configs([resource])[resource].result()
        topics[topic] = len(metadata[topic].partitions), entries["retention.ms"].value
    site.kafka.delete_topics(names())
    wait_for(lambda: not names(), 20, "the topics are gone", 0.2)
    return records, topics


@pytest.mark.full
@pytest.mark.limit(300)
@pytest.mark.parametrize("converter", CONVERTERS)
def test_the_same_rows_come_out_as_they_do_of_debezium(site, converter):
    for table in ("events", "other"):
        site.sql(TABLE.format(table))
    relay = site.relay(configuration(site.name) | CONVERTERS[converter])
    debezium = Debezium(relay).start()
    write_rows(site)
    expected, expected_topics = published(site)
    assert any(value is None or value == b"null" for _topic, _partition, _key, value, _headers in expected)
    debezium.stop()
    site.postgres.drop_slot(site.slot)  # what Debezium had not confirmed would come again

    relay.start()
    write_rows(site)
    site.wait_all_confirmed()
    records, topics = published(site)
    for record, wanted in zip(records, expected):
        assert record == wanted
    assert len(records) == len(expected) == PUBLISHED
    assert topics == expected_topics
    assert topics[f"{site.name}.renamed"] == (4, "123456789") and topics[f"{site.name}.b"][0] == 2
    assert relay.stop() == ExitCode.STOPPED
