"""One contestant drains one slot, and what that took.

Every contestant has a slot of its own, made before the load is written, so all read the same WAL from the same place. The clock runs from
START_REPLICATION in the server's log to the time at which the broker appended the last record (topics with LogAppendTime), for pg_recvlogical to its
end: the start of a JVM is no part of it, and what a reader holds in memory before it publishes is. CPU seconds and peak memory are the
contestant's own process; the walsender's and the broker's stand beside them. The slot is dropped in the end, so that its WAL goes.
"""
import dataclasses
import subprocess
import time

from confluent_kafka import KafkaException, TopicPartition
from confluent_kafka.admin import NewTopic, OffsetSpec

from figures import load_average
from harness import wait_for
from harness.process import cpu_s

TIMEOUT_S = 1800
LOOK_EVERY_S = 0.1


@dataclasses.dataclass
class Result:
    rate: float  # events/s
    seconds: float
    cpu_s: float
    peak_mb: float
    walsender_cpu_s: float
    broker_cpu_s: float
    load_average: float  # of the machine, before


class Topics:
    """The topics of one contestant, and what the broker knows of their records."""

    def __init__(self, kafka, names, partitions):
        self.kafka, self.names, self.error = kafka, names, None
        config = {"message.timestamp.type": "LogAppendTime"}
        for future in kafka.admin.create_topics([NewTopic(name, partitions, config=config) for name in names]).values():
            future.result(60)
        self.places = [TopicPartition(name, partition) for name in names for partition in range(partitions)]
        wait_for(self._answer, 60, lambda: f"{len(self.places)} partitions answer: {self.error}", 0.1)

    def _answer(self):
        try:
            return self._ask(OffsetSpec.latest())
        except KafkaException as error:  # just made: no leader yet
            self.error = error
            self.kafka.admin.list_topics(timeout=20)  # or the client goes on asking whom it asked before
            return False

    def _ask(self, what):
        return [future.result() for future in self.kafka.admin.list_offsets({place: what for place in self.places}, request_timeout=30).values()]

    def count(self):
        return sum(found.offset for found in self._ask(OffsetSpec.latest()))

    def last_at(self):
        """When the last record was appended, in seconds since 1970."""
        return max(found.timestamp for found in self._ask(OffsetSpec.max_timestamp())) / 1000

    def delete(self):
        self.kafka.delete_topics(self.names)


class Meter:
    """What a contestant, its walsender and the broker have used, as last seen: the first two may end at any time."""

    def __init__(self, program, site):
        self.program, self.site, self.walsender = program, site, None
        self.cpu_s = self.peak_mb = 0.0
        self.walsender_cpu_s = 0.0
        self.broker_before_s = site.kafka.child.cpu_s()

    def look(self):
        try:
            self.cpu_s = self.program.child.cpu_s()
            self.peak_mb = self.program.child.status_kb("VmHWM") / 1024
            self.walsender = self.walsender or self.site.postgres.streaming_pid(self.program.slot)
            if self.walsender:
                self.walsender_cpu_s = cpu_s(self.walsender)
        except (OSError, KeyError):
            return

    def broker_cpu_s(self):
        return self.site.kafka.child.cpu_s() - self.broker_before_s


def wait_end(program, meter):
    """Of a program that ends by itself; the time of it."""
    deadline = time.monotonic() + TIMEOUT_S
    while time.monotonic() < deadline:
        meter.look()
        try:
            code = program.child.process.wait(LOOK_EVERY_S)
        except subprocess.TimeoutExpired:
            continue
        if code != 0:
            raise RuntimeError(f"{program.child.name} ended with {code}\n{program.child.tail()}")
        return time.time()
    raise TimeoutError(f"{program.child.name} still runs after {TIMEOUT_S} s")


def wait_published(programs, topics, events, meters):
    """Until so many records are there; the time at which the last was appended."""
    def there():
        for meter in meters:
            meter.look()
        ended = next((program for program in programs if not program.child.running()), None)
        if ended:
            raise RuntimeError(f"{ended.child.name} ended\n{ended.child.tail()}")
        return topics.count() >= events
    wait_for(there, TIMEOUT_S, lambda: f"{events} records; there are {topics.count()}\n{programs[0].child.tail()}", LOOK_EVERY_S)
    return topics.last_at()


def drain(program, site, load, publishes=True):
    """The whole course of a program that is not started yet; one that publishes nothing ends by itself."""
    before = load_average()
    topics = Topics(site.kafka, load.topic_names(program.slot), load.partitions) if publishes else None
    program.start(wait=False)
    meter = Meter(program, site)
    ended_at = wait_published([program], topics, load.events, [meter]) if topics else wait_end(program, meter)
    meter.look()
    seconds = ended_at - site.postgres.stream_command_at(program.slot)
    result = Result(load.events / seconds, seconds, meter.cpu_s, meter.peak_mb, meter.walsender_cpu_s, meter.broker_cpu_s(), before)
    if program.child.running():
        program.child.kill9()
    site.postgres.drop_slot(program.slot)
    if topics:
        topics.delete()
    return result
