"""Reading topics whole, as a consumer sees them."""
import dataclasses
import time

from confluent_kafka import Consumer, KafkaException, TopicPartition


@dataclasses.dataclass(frozen=True)
class Record:
    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    headers: tuple  # of (name, bytes or None), in order
    timestamp_ms: int

    @property
    def id(self):
        """The event's id: the header that Debezium's router sets."""
        return next((value.decode() for name, value in self.headers if name == "id"), None)


def _consumer(bootstrap):
    return Consumer({"bootstrap.servers": bootstrap, "group.id": "harness", "enable.auto.commit": False, "auto.offset.reset": "earliest",
                     "log_level": 0, "fetch.wait.max.ms": 10, "queued.max.messages.kbytes": 65536, "receive.message.max.bytes": 2**29})


def _ends(consumer, topics):
    """(topic, partition) -> (first, next) offset, for the topics that exist."""
    found = {}
    known = consumer.list_topics(timeout=20).topics
    for topic in topics:
        if topic in known and not known[topic].error:
            for partition in known[topic].partitions:
                found[topic, partition] = _watermarks(consumer, topic, partition)
    return found


def _watermarks(consumer, topic, partition):
    for attempt in range(120):  # a topic just made may have no leader yet
        try:
            return consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=10)
        except KafkaException:
            if attempt == 119:
                raise
            time.sleep(0.25)


def count(bootstrap, topics):
    consumer = _consumer(bootstrap)
    try:
        return sum(high - low for low, high in _ends(consumer, topics).values())
    finally:
        consumer.close()


def read_all(bootstrap, topics, timeout_s=60):
    """Every record that is there now, by topic, partition and offset."""
    consumer = _consumer(bootstrap)
    try:
        ends = {place: high for place, (low, high) in _ends(consumer, topics).items() if high > low}
        consumer.assign([TopicPartition(topic, partition, 0) for topic, partition in ends])
        records, open_ends, deadline = [], dict(ends), time.monotonic() + timeout_s
        while open_ends:
            if time.monotonic() > deadline:
                raise TimeoutError(f"read {len(records)} records, still short of {open_ends}")
            for message in consumer.consume(10_000, timeout=0.5):
                if message.error():
                    continue
                place = message.topic(), message.partition()
                if message.offset() < ends[place]:
                    records.append(Record(*place, message.offset(), message.key(), message.value(), tuple(message.headers() or ()),
                                          message.timestamp()[1]))
                if message.offset() >= ends[place] - 1:
                    open_ends.pop(place, None)
        return sorted(records, key=lambda record: (record.topic, record.partition, record.offset))
    finally:
        consumer.close()


class Listener:
    """A consumer of a topic that exists, from now on: for the time at which a record arrives."""

    def __init__(self, bootstrap, topic):
        self._consumer = _consumer(bootstrap)
        ends = _ends(self._consumer, [topic])
        self._consumer.assign([TopicPartition(*place, high) for place, (_low, high) in ends.items()])
        self._consumer.poll(1)  # connects

    def next(self, timeout_s):
        """The next message and when it came (time.time()); (None, None) when none did."""
        deadline = time.time() + timeout_s
        while time.time() < deadline:
            message = self._consumer.poll(deadline - time.time())
            if message is not None and not message.error():
                return message, time.time()
        return None, None

    def close(self):
        self._consumer.close()
