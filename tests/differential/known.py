"""What is known to differ, and why. Whatever is not in here fails the test.

FAILURES: what makes Debezium drop a record, or stop, where Postrider publishes it or says in one sentence why it does not.
DIFFERENCES: records that both publish, but not alike.
"""
import dataclasses
import json
import re

RUN_ID = "__debezium.context.runId"
PAYLOAD_KEY = "transforms.outbox.table.field.event.payload"
ADDRESS = re.compile(rb"\[(?:[BCDFIJSZ]|L[\w.]+;)@[0-9a-f]+")

FAILURES = {
    # The inferred schema is put in place before the value fails: JsonConverter then has a struct's schema and a text.
    "JSON that cannot be expanded under JsonConverter": r"Invalid type for (STRUCT|ARRAY): class java.lang.String",
    "JSON that cannot be expanded in an envelope":
        r"Invalid Java object for schema (\".*\" )?with type (STRUCT|ARRAY): class java.lang.String for field: \"payload\"",
    "an empty array at the top of an envelope's payload": r"Cannot invoke \"Object.hashCode\(\)\" because \"key\" is null",
    "JSON deeper than Jackson writes": r"Document nesting depth \(\d+\) exceeds the maximum allowed",
    # It takes a byte[] alone, and a bytea comes as a ByteBuffer: Postrider sends the bytes.
    "bytea under Debezium's ByteArrayConverter without a delegate": r"requires a delegate.converter.type to be configured",
    # Not tolerated: the connector stops. Postrider holds the row, or sends null where Debezium never reads the values (bit[]).
    "a NOT NULL column whose value has no form": r"Invalid value: null used for required field",
    # Postrider reads more column types as the event's time.
    "event time under time.precision.mode=connect": r"class java.util.Date cannot be cast to class java.lang.Long",
    "event time under time.precision.mode=isostring": r"Field 'happened at' is not of type INT64",
}


def headers(record):
    """Without the id that Debezium gives itself at each start."""
    return [header for header in record.headers if header[0] != RUN_ID]


def _without_addresses(plan, row, theirs, ours):
    """Texts of Java arrays hold their address, which differs at each run: Postrider writes Base64, or a nested array's own text."""
    if [name for name, _ in headers(theirs)] != [name for name, _ in headers(ours)]:
        return False
    pairs = [(theirs.key, ours.key), (theirs.value, ours.value)]
    pairs += [(their_value, our_value) for (_, their_value), (_, our_value) in zip(headers(theirs), headers(ours))]
    found = False
    for their_data, our_data in pairs:
        if their_data == our_data:
            continue
        if their_data is None or our_data is None or not ADDRESS.search(their_data):
            return False
        found = True
        pattern = b".*?".join(re.escape(part) for part in ADDRESS.split(their_data))
        if not re.fullmatch(pattern, our_data, re.DOTALL):
            return False
    return found and theirs.topic == ours.topic


def _has_unlike_objects(node):
    """Whether some array holds objects of more than one shape."""
    if isinstance(node, dict):
        return any(map(_has_unlike_objects, node.values()))
    if not isinstance(node, list):
        return False
    shapes = {json.dumps(_shape(item)) for item in node if isinstance(item, dict)}
    return len(shapes) > 1 or any(map(_has_unlike_objects, node))


def _merges_nested(node):
    """Whether objects within such an array hold objects themselves."""
    if isinstance(node, dict):
        return any(map(_merges_nested, node.values()))
    if not isinstance(node, list):
        return False
    holds_objects = any(isinstance(value, (dict, list)) for item in node if isinstance(item, dict) for value in item.values())
    return (holds_objects and _has_unlike_objects(node)) or any(map(_merges_nested, node))


def _shape(node):
    if isinstance(node, dict):
        return {key: _shape(value) for key, value in node.items()}
    if isinstance(node, list):
        return [_shape(item) for item in node if item is not None][:1]
    return "null" if node is None else "int64" if isinstance(node, int) and abs(node) >= 2 ** 31 else type(node).__name__


def _compatible(left, right, merged=False):
    """Parsed JSON that is the same but for the order of members; within an array's objects (`merged`) one side may lack members."""
    if isinstance(left, dict) and isinstance(right, dict):
        if not merged and left.keys() != right.keys():
            return False
        shared = (left.keys() & right.keys()) - ({"optional"} if merged else set())
        return all(_compatible(left[key], right[key], merged or key == "items") for key in shared)
    if isinstance(left, list) and isinstance(right, list):
        if left and right and all(isinstance(item, dict) and "field" in item for item in left + right):  # a struct's schema
            return _compatible({item["field"]: item for item in left}, {item["field"]: item for item in right}, merged)
        return len(left) == len(right) and all(_compatible(*pair, merged or isinstance(pair[0], dict)) for pair in zip(left, right))
    return left == right


def _merged_by_chance(plan, row, theirs, ours):
    """Debezium keeps the schemas of an array's unlike objects in a hash set of identities: their fields come in any order, and of nested
    objects any one's schema is kept, with which the others' values are filled in or fail."""
    if not theirs.value or not ours.value:
        return False
    rest = dataclasses.replace(theirs, value=ours.value)
    if (rest.topic, rest.key, headers(rest)) != (ours.topic, ours.key, headers(ours)) and not _without_addresses(plan, row, rest, ours):
        return False
    name = plan.config.get(PAYLOAD_KEY, "payload")
    written = next((value for column, value in zip(plan.columns, plan.rows[row]) if column.name == name), None)
    try:
        document = json.loads(written or "null")
        if not _has_unlike_objects(document):
            return False
        if _merges_nested(document):
            return theirs.value != ours.value
        if theirs.value.startswith(b"Struct{"):
            return ours.value.startswith(b"Struct{") and theirs.value != ours.value
        in_order = [json.loads(record.value, object_pairs_hook=list) for record in (theirs, ours)]
        return in_order[0] != in_order[1] and _compatible(json.loads(theirs.value), json.loads(ours.value))
    except ValueError:
        return False


# Types that Debezium's snapshot, which reads through JDBC, and its stream do not make the same of: in Postrider both are as in the stream.
# The value's pattern: a name always, a date where it forgets that it is BC.
SNAPSHOT_TYPES = {"name": "", "date": "BC|infinity"}


def _in_snapshot(plan, row, theirs, ours):
    if row is None or row >= plan.before:
        return False
    values = zip(plan.columns, plan.rows[row])
    return any(value is not None and column.type.sql in SNAPSHOT_TYPES and re.search(SNAPSHOT_TYPES[column.type.sql], value) for column, value in values)


DIFFERENCES = {
    "fields merged from an array's unlike objects": _merged_by_chance,
    "the address of a Java array in a text": _without_addresses,
    "a name or date in a snapshot": _in_snapshot,
}


def timestamp(wanted, had):
    """librdkafka takes 0 for the present: the first millisecond of 1970 becomes the second."""
    return (wanted, had) == (0, 1)


def failure(text):
    """The reason's name for what Debezium said; None where it is not known."""
    return next((name for name, pattern in FAILURES.items() if re.search(pattern, text)), None)


def difference(plan, row, theirs, ours):
    """The reason's name for two records that are not the same; None where it is not known."""
    return next((name for name, holds in DIFFERENCES.items() if holds(plan, row, theirs, ours)), None)
