"""Random configurations: table, rows and settings, all out of one seed. Pure.

Part of the settings contradict the table on purpose: both sides have to refuse those. Every topic's name holds the plan's token, so that
many plans can share a broker.
"""
import dataclasses
import random

import column_types as types
import json_texts
from column_types import ColumnType
from plan import Column, Plan

ROUTER = "transforms.outbox."
STRING = "org.apache.kafka.connect.storage.StringConverter"
JSON = "org.apache.kafka.connect.json.JsonConverter"
SIMPLE_HEADER = "org.apache.kafka.connect.storage.SimpleHeaderConverter"
BYTE_ARRAY = "org.apache.kafka.connect.converters.ByteArrayConverter"
BINARY_DATA = "io.debezium.converters.BinaryDataConverter"
DEBEZIUM_BYTES = "io.debezium.converters.ByteArrayConverter"
NUMBERS = {"smallint": "Short", "integer": "Integer", "bigint": "Long", "real": "Float", "double precision": "Double", "boolean": "Boolean"}

BASE = {
    "connector.class": "io.debezium.connector.postgresql.PostgresConnector", "plugin.name": "pgoutput", "transforms": "outbox",
    "transforms.outbox.type": "io.debezium.transforms.outbox.EventRouter", "poll.interval.ms": "20", "slot.drop.on.stop": "false",
}


class Planner:
    def __init__(self, seed, number, rows):
        self.seed, self.number, self.row_count = seed, number, rows
        self.rng = random.Random(f"{seed}:{number}")
        self.token = f"t{number}x"
        self.config, self.columns = dict(BASE), []
        self.options = {}
        self.shape = json_texts.Shape(self.rng)
        self.placements = []

    def chance(self, share):
        return self.rng.random() < share

    def plan(self):
        rng = self.rng
        self.nastiness = rng.choice([0, 0, 0.05, 0.3])
        self.types()
        self.payload()
        self.identity()
        self.route()
        self.additional()
        self.converters()
        self.rest()
        if self.chance(0.05):
            self.contradict()
        rng.shuffle(self.columns)
        self.columns.append(Column("n", types.INTEGER, not_null=True))
        if self.header_takes_numbers:
            self.placements.append("n:header")
        if self.placements:
            comma = rng.choice([",", ",", " , "])
            self.options["table.fields.additional.placement"] = comma.join(self.placements)
        self.config |= {ROUTER + key: value for key, value in self.options.items()}
        rows = [[column.value(rng) for column in self.columns[:-1]] + [str(number)] for number in range(self.row_count)]
        before = rng.randint(1, self.row_count) if self.config["snapshot.mode"] == "initial" else 0
        chunks = [rng.choice([1, 2, 7, 50]) for _ in range(self.row_count // 10)]
        return Plan(self.number, self.seed, self.config, self.columns, rows, before, chunks, self.others(), self.token)

    # ---- columns ------------------------------------------------------------------------------------------------------

    def column(self, name, kind, nulls=0.1, not_null=None, default_share=0.35):
        rng = self.rng
        if not_null is None:
            not_null = self.chance(0.4)
        default = rng.choice(kind.defaults) if kind.defaults and self.chance(default_share) else None
        column = Column(name, kind, not_null, default, nulls)
        self.columns.append(column)
        return column

    def json_type(self, sql):
        text = lambda rng: json_texts.json_text(rng, self.shape, self.nastiness, sql != "jsonb")
        if sql == "jsonb":
            text = lambda rng: json_texts.json_text(rng, self.shape, self.nastiness, False).replace("\\u0000", "")
        return ColumnType(sql, text, ("'{}'", "'{\"a\": 1}'", "NULL", "'[]'", "jsonb_build_object()") if sql != "text" else ())

    def any_type(self):
        if self.chance(0.12):
            return self.json_type(self.rng.choice(["json", "jsonb"]))
        return self.rng.choice(types.ARRAYS) if self.chance(0.2) else self.rng.choice(types.SIMPLE)

    def types(self):
        rng, config = self.rng, self.config
        for key, values in (("decimal.handling.mode", ["precise", "string", "double"]), ("binary.handling.mode", ["bytes", "base64", "base64-url-safe", "hex"]),
                            ("time.precision.mode", ["adaptive", "adaptive_time_microseconds", "connect", "isostring", "microseconds", "nanoseconds"]),
                            ("hstore.handling.mode", ["json", "map"]), ("interval.handling.mode", ["numeric", "string"])):
            if self.chance(0.5):
                config[key] = rng.choice(values)
        if self.chance(0.2):
            config["include.unknown.datatypes"] = "true"
        if self.chance(0.1):
            config["money.fraction.digits"] = rng.choice(["0", "2", "3"])

    def named(self, option, default):
        """The column's name, which an option may change."""
        if not self.chance(0.2):
            return default
        name = self.rng.choice([f"my_{default}", f"My {default}", f"größe_{default}", default.upper() + "1"])
        self.options[option] = name
        return name

    def payload(self):
        rng = self.rng
        self.payload_name = self.named("table.field.event.payload", "payload")
        kind = rng.random()
        if kind < 0.6:
            self.payload_type = self.json_type(rng.choice(["json", "jsonb", "jsonb", "text"]))
        elif kind < 0.75:
            self.payload_type = types.BYTEA
        else:
            self.payload_type = self.any_type()
        self.column(self.payload_name, self.payload_type, nulls=0.05)
        if self.payload_type.sql in ("json", "jsonb", "text", "varchar", "xml", "djson") and self.chance(0.65):
            self.options["table.expand.json.payload"] = "true"
            if self.chance(0.3):
                self.options["table.json.payload.null.behavior"] = rng.choice(["ignore", "optional_bytes"])
        if self.chance(0.3):
            self.options["route.tombstone.on.empty.payload"] = rng.choice(["true", "false", "TRUE"])

    def identity(self):
        rng = self.rng
        kind = types.UUID if self.chance(0.5) else self.any_type()
        self.column(self.named("table.field.event.id", "id"), kind, nulls=0.02)
        kind = types.VARCHAR if self.chance(0.4) else self.any_type()
        self.key_type = kind
        self.column(self.named("table.field.event.key", "aggregateid"), kind, nulls=rng.choice([0, 0.1]))
        if self.chance(0.3):
            self.options["table.field.event.timestamp"] = "happened at"
            self.column("happened at", rng.choice(types.EVENT_TIMES), nulls=0.1)

    def route(self):
        rng = self.rng
        kinds = rng.choice([["Order"], ["Order", "customer"], ["a.b", "ab", "C-d"]])
        if self.chance(0.08):
            labels = ", ".join(f"'{self.token}{kind}'" for kind in kinds)
            kind = ColumnType("routes", types.of(*(self.token + kind for kind in kinds)), (), (f"CREATE TYPE routes AS ENUM ({labels})",))
        else:
            kind = rng.choice(types.ROUTES)
            if kind.sql == "char(16)":
                kinds = [word.ljust(16 - len(self.token), "_") for word in kinds]
            kind = dataclasses.replace(kind, value=types.of(*(self.token + word for word in kinds)), defaults=(f"'{self.token}Default'",))
        self.kinds = kinds
        self.column(self.named("route.by.field", "aggregatetype"), kind, nulls=0, not_null=True)
        pattern = rng.choice([None, None, None,
                              (f"{self.token}(.*)", f"{self.token}.$1"), (f"(?<all>.*)", f"events.${{all}}"), ("(.)(.*?)(x)(.+)", "$1$2$3_$4_$2"),
                              (f"{self.token}Or|{self.token}Order|.*", f"{self.token}short"), ("(?i).*ORDER", f"{self.token}orders"),
                              (r"([a-z0-9]+)([._-]?)(\w*).*", r"$1$3\\.x".replace("\\\\", "\\")), ("(?<routedByValue>[^.]*)\\.?.*", "outbox.event.${routedByValue}"),
                              (r"(\p{Lower}\d+x)(\p{Alpha}++).*", "$1.$2"), ("nothing", "else"), (".*?", f"{self.token}lazy."), (r"^([a-z]\d+)x(?=\w).*$", "$1x-all")])
        if pattern:
            self.options["route.topic.regex"], self.options["route.topic.replacement"] = pattern
        elif self.chance(0.3):
            self.options["route.topic.replacement"] = rng.choice(["${routedByValue}", "prod.${routedByValue}.events", f"{self.token}.all", r"a\$${routedByValue}".replace(r"\$", r"\-")])

    def additional(self):
        rng = self.rng
        places = rng.choice([["header"], ["header"], ["header", "envelope"], ["envelope"], []])
        for index in range(rng.randint(0, 7) if places else 0):
            name = rng.choice([f"extra{index}", f"Extra {index}", f"e_{index}"])
            kind = self.any_type()
            if self.chance(0.07):
                kind = rng.choice(types.UNKNOWN)
                if "include.unknown.datatypes" not in self.config or kind.sql == "name":
                    self.options["table.field.additional.missing"] = "ignore"
            self.column(name, kind, nulls=rng.choice([0, 0.2]))
            for place in rng.sample(places, 1 if self.chance(0.85) else len(places)):
                self.placements.append(f"{name}:{rng.choice([place, place, place.upper()])}" + (f":alias{index}{place[0]}" if self.chance(0.3) else ""))
        if self.chance(0.12):
            column = self.column("part", ColumnType("integer", types.of("0", "1", "2", "3")), nulls=rng.choice([0, 0.2]), default_share=0)
            column.not_null = column.nulls == 0
            self.placements.append("part:partition")
        if self.chance(0.1):
            self.placements.append(f"{rng.choice(self.columns).name}:header:again")
        if self.chance(0.05):
            self.placements.append("not_there:header")
            self.options["table.field.additional.missing"] = "ignore"
        self.envelope = any(":envelope" in placement.lower() for placement in self.placements)
        if self.envelope and self.chance(0.3) and "table.expand.json.payload" not in self.options:
            self.options["table.field.event.schema.version"] = "version"
            self.column("version", ColumnType("integer", types.of("1", "2"), ()), nulls=0.1)

    # ---- converters ---------------------------------------------------------------------------------------------------

    def converter(self, which, kind, in_envelope=False):
        """Sets the key.*, value.* or header.* converter to one that fits the column's type; its class."""
        rng = self.rng
        choices = [STRING, JSON, JSON]
        binary = self.config.get("binary.handling.mode", "bytes") == "bytes" and kind is not None and kind.sql == "bytea" and not in_envelope
        if binary:
            choices = [BYTE_ARRAY, BYTE_ARRAY, BINARY_DATA, DEBEZIUM_BYTES, STRING, JSON]
        elif kind is not None and kind.sql in NUMBERS and not in_envelope:
            choices += ["org.apache.kafka.connect.converters." + NUMBERS[kind.sql] + "Converter"]
        elif self.chance(0.1):
            choices = [BINARY_DATA, DEBEZIUM_BYTES]
        if which == "header":
            choices = [SIMPLE_HEADER, SIMPLE_HEADER, STRING, JSON]
        chosen = rng.choice(choices)
        self.set_converter(f"{which}.converter", chosen, binary)
        return chosen

    def set_converter(self, key, chosen, binary=False):
        rng = self.rng
        self.config[key] = chosen
        if chosen in (BINARY_DATA, DEBEZIUM_BYTES) and (not binary or self.chance(0.3)):
            self.set_converter(f"{key}.delegate.converter.type", rng.choice([STRING, JSON]))
        if chosen == JSON:
            if self.chance(0.6):
                self.config[f"{key}.schemas.enable"] = rng.choice(["true", "false", "false"])
            if self.chance(0.3):
                self.config[f"{key}.decimal.format"] = rng.choice(["NUMERIC", "BASE64", "numeric"])
            if self.chance(0.3):
                self.config[f"{key}.replace.null.with.default"] = rng.choice(["true", "false"])

    def converters(self):
        self.converter("key", self.key_type)
        self.converter("value", self.payload_type, self.envelope)
        self.header_takes_numbers = True
        if self.chance(0.4):
            self.converter("header", None)
        # The envelope's schema keeps the first route's name in Debezium (see known.py): one route then.
        if self.envelope and self.config.get("value.converter") != STRING:
            for column in self.columns:
                if column.name == self.options.get("route.by.field", "aggregatetype"):
                    column.type = dataclasses.replace(column.type, value=types.of(self.token + self.kinds[0]))

    def rest(self):
        rng, config = self.rng, self.config
        config["snapshot.mode"] = "initial" if self.chance(0.15) else "no_data"
        config["errors.tolerance"] = "none" if self.chance(0.15) else "all"
        config["extended.headers.enabled"] = "true" if self.chance(0.1) else "false"
        if self.chance(0.2):
            self.options["table.op.invalid.behavior"] = rng.choice(["warn", "error"])
        config["table.include.list"] = rng.choice(["public.outbox", "public\\.outbox", "PUBLIC\\.OUT.*", "public.(outbox|other)"])
        if self.chance(0.1):
            config["skipped.operations"] = rng.choice(["t", "u,d", "d", "none", "t,u"])
        if self.chance(0.1):
            self.options["field.name.adjustment.mode"] = "none"
        if self.chance(0.06) and self.placements:
            name = self.placements[0].split(":")[0]
            config["column.exclude.list"] = "public\\.outbox\\." + name.replace("(", "\\(")
            if self.chance(0.7):
                self.options["table.field.additional.missing"] = "ignore"

    def contradict(self):
        """Something that neither side can publish."""
        rng = self.rng
        self.options |= rng.choice([
            {"table.field.event.key": "no_such"}, {"table.field.event.id": "no_such"}, {"table.field.event.payload": "no_such"},
            {"route.by.field": "n"}, {"table.field.event.timestamp": "aggregatetype"}, {"route.topic.regex": "("}, {"route.topic.replacement": "${none}"},
            {"table.op.invalid.behavior": "what"}, {"table.json.payload.null.behavior": "what"}, {"table.expand.json.payload": "maybe"},
            {"table.field.additional.missing": "what"}])
        if self.chance(0.3):
            self.config["value.converter"] = "org.apache.kafka.connect.converters.LongConverter"

    def others(self):
        """Updates and deletes, which are no events (there is no key that could change), and new columns, which are of no account."""
        statements = []
        if self.chance(0.15):
            statements += ["ALTER TABLE public.outbox REPLICA IDENTITY FULL", "UPDATE public.outbox SET n = n WHERE n < 2", "DELETE FROM public.outbox WHERE n < 2"]
        if self.chance(0.15):
            statements.append("ALTER TABLE public.outbox ADD COLUMN later " + self.rng.choice(["int DEFAULT 5", "text", "timestamptz NOT NULL DEFAULT now()"]))
        return statements


def make_plan(seed, number, rows):
    return Planner(seed, number, rows).plan()
