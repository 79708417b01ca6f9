"""Compares what the relay published with what a recorded case expects. Pure: no servers.

A case's `expect`: `records` (topic, partition, key, value, headers in order, timestamp); `stops` (the relay ends with an error) or `holds`
(it stays up and publishes nothing further); `says` (words that its output names); `t0`, `t1` (the recording's own time, ms).
Texts are texts, null is null, other bytes are {"base64": ...}.
"""
import base64
import json

TIMESTAMP_KEY = "transforms.outbox.table.field.event.timestamp"
CLOCK_SLACK_MS = 1000


def text(data):
    """Bytes as the recordings write them."""
    if data is None:
        return None
    try:
        decoded = data.decode()
        if all(ord(character) >= 32 or character in "\n\t\r" for character in decoded):
            return decoded
    except UnicodeDecodeError:
        pass
    return {"base64": base64.b64encode(data).decode()}


def as_recorded(record):
    """A harness Record in the form of a recording."""
    return {"topic": record.topic, "partition": record.partition, "key": text(record.key), "value": text(record.value),
            "headers": [[name, text(value)] for name, value in record.headers], "timestamp": record.timestamp_ms}


def _shape(record):
    """All but the time, as one text; Debezium's own context headers apart, and any partition where there is no key."""
    headers = [header for header in record["headers"] if not header[0].startswith("__debezium.context.")]
    partition = "any" if record["key"] is None else record["partition"]
    return json.dumps([record["topic"], partition, record["key"], record["value"], headers], ensure_ascii=False)


def _in_order(records):
    """By topic and partition, keeping the order inside; without a key there is no order to keep."""
    return sorted(records, key=lambda record: (record["topic"], "any" if record["key"] is None else str(record["partition"]),
                                               _shape(record) if record["key"] is None else ""))


def differences(case, got):
    """Sentences; none when they are the same. `got`: records, exit (code, or None: had to be killed), running (before SIGTERM), output,
    t0, t1 (ms), and for held events records_later and confirmed_past."""
    expect, found = case["expect"], []
    want, have = _in_order(expect.get("records", [])), _in_order(got["records"])
    wanted, had = [_shape(record) for record in want], [_shape(record) for record in have]
    found += ["missing " + shape for shape in wanted if shape not in had]
    found += ["extra   " + shape for shape in had if shape not in wanted]
    if wanted != had and not found:
        found.append("the same records in another order or number")
    if wanted == had:
        found += _wrong_times(case, want, have, got)

    if expect.get("stops") and not expect.get("holds") and got["running"]:
        found.append("still running; it should have stopped with an error")
    if not expect.get("stops") and not got["running"]:
        found.append(f"ended by itself with {got['exit']}: {got['output'][-300:]}")
    if expect.get("stops"):
        found += [f"the output does not name '{word}'" for word in expect.get("says", []) if word.lower() not in got["output"].lower()]
    if got.get("records_later"):
        found.append("went on publishing past the held event")
    if got.get("confirmed_past"):
        found.append("confirmed past the held event")
    if got["exit"] is None:
        found.append("did not stop on SIGTERM")
    return found


def _wrong_times(case, want, have, got):
    """A time that a column sets is exact; any other is the relay's clock during the run."""
    expect, found = case["expect"], []
    for wanted, had in zip(want, have):
        from_column = TIMESTAMP_KEY in case["config"] and not expect.get("t0", 0) <= wanted["timestamp"] <= expect.get("t1", 0)
        if from_column:
            if wanted["timestamp"] != had["timestamp"]:
                found.append(f"timestamp {had['timestamp']} instead of {wanted['timestamp']}")
        elif not got["t0"] - CLOCK_SLACK_MS <= had["timestamp"] <= got["t1"] + CLOCK_SLACK_MS:
            found.append(f"timestamp {had['timestamp']} outside the run")
    return found
