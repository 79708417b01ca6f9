"""Column types and their values, by seed: what an outbox can have, and the corners of each type.

A value is the text that PostgreSQL reads, or None for NULL.
"""
import dataclasses
import datetime
import uuid
from typing import Callable

import json_texts

TEXTS = json_texts.STRINGS + ["{\"a\":1}", "  padded  ", "it's", "a,b:c", "{a,b}", "NaN", "$1", "%s", "key", "order-1", "A" * 1500, "[1,2]", " {\"a\":1}"]
FUTURE = 4_000_000_000  # seconds: beyond any test run's own clock


def texts(rng):
    return rng.choice(TEXTS) if rng.random() < 0.7 else f"v{rng.randint(0, 10**9)}"


def sized(limit):
    return lambda rng: texts(rng)[:limit]


def integers(bits):
    edge = 2 ** (bits - 1)
    return lambda rng: str(rng.choice([0, 1, -1, edge - 1, -edge, rng.randrange(-edge, edge), rng.randint(-1000, 1000)]))


def reals(digits):
    small = ["0", "-0", "1", "-1", "0.1", "1e7", "9999999", "1e-3", "0.00099", "123456.78", "NaN", "Infinity", "-Infinity", "3.1415927", "16777216", "1e10"]
    extremes = ["3.4028235e38", "1.4e-45", "1.17549435e-38"] if digits == 4 else ["1.7976931348623157e308", "4.9e-324", "2e23", "1e23", "1e21", "9007199254740993"]
    largest = 37 if digits == 4 else 300

    def value(rng):
        if rng.random() < 0.5:
            return rng.choice(small + extremes)
        return f"{rng.uniform(-10, 10):.{rng.randint(0, 17)}f}e{rng.randint(-largest, largest)}"
    return value


def numerics(precision=None, scale=None):
    def value(rng):
        if rng.random() < 0.06:
            return rng.choice(["NaN"] if precision else ["NaN", "Infinity", "-Infinity"])
        if precision is None:
            if rng.random() < 0.3:
                return rng.choice(["0", "0.0", "0.00", "-0.1", "1e20", "1E-20", "100", "1.10", "123456789012345678901234567890.123456789", "1e-7", "0.000001", "1e3"])
            return f"{rng.choice(['', '-'])}{rng.randrange(10 ** rng.randint(1, 30))}.{rng.randrange(10 ** rng.randint(1, 12))}"
        digits = max(precision - scale, 0)
        whole = rng.randrange(10 ** rng.randint(0, digits)) if digits else 0
        if scale <= 0:
            return f"{rng.choice(['', '-'])}{whole}"
        fraction = str(rng.randrange(10 ** min(scale, precision))).zfill(scale)
        return f"{rng.choice(['', '-'])}{whole}.{rng.choice([fraction, '0' * scale])}"
    return value


def dates(rng):
    if rng.random() < 0.25:
        return rng.choice(["infinity", "-infinity", "1970-01-01", "0001-01-01", "0001-12-31 BC", "4713-01-01 BC", "9999-12-31", "10000-01-01", "5874897-12-31",
                           "1582-10-04", "1582-10-15", "1900-02-28", "2000-02-29"])
    return str(datetime.date(1, 1, 1) + datetime.timedelta(days=rng.randrange(3_600_000)))


def clock(rng, digits=6):
    text = rng.choice(["00:00:00", "23:59:59", "24:00:00", f"{rng.randrange(24):02}:{rng.randrange(60):02}:{rng.randrange(60):02}"])
    if text == "24:00:00" or digits == 0 or rng.random() < 0.2:
        return text
    return f"{text}.{rng.choice(['5', '999999', '000001', '120', f'{rng.randrange(10 ** 6):06}'])}"


def times(digits):
    return lambda rng: clock(rng, digits)


def zones(rng):
    return rng.choice(["Z", "+00", "+02", "-08", "+05:30", "-03:30", "+14", "-12"])


def timestamps(rng):
    if rng.random() < 0.2:
        return rng.choice(["infinity", "-infinity", "1970-01-01 00:00:00", "1969-12-31 23:59:59.999999", "0001-01-01 00:00:00", "0044-03-15 12:00:00 BC",
                           "4713-01-01 00:00:00 BC", "9999-12-31 23:59:59.999999", "10000-01-01 00:00:00", "294276-12-31 23:59:59.999999", "1600-02-29 00:00:00.5",
                           "2262-04-11 23:47:16.854775", "2262-04-11 23:47:16.854776", "1677-09-21 00:12:43", "1582-10-10 10:10:10.1"])
    moment = datetime.datetime(1, 1, 1) + datetime.timedelta(days=rng.randrange(3_600_000), seconds=rng.randrange(86400),
                                                             microseconds=rng.choice([0, 500000, 1, 999999, rng.randrange(10 ** 6)]))
    return moment.isoformat(" ")


def event_times(rng):
    """What a record's timestamp can be: after 1970, and not the time of the test itself."""
    seconds = rng.choice([rng.randrange(1_700_000_000), rng.randrange(FUTURE, 2 * FUTURE), 0])
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds, microseconds=rng.choice([0, 1, 999, 1000, 999999, rng.randrange(10 ** 6)]))
    return moment.isoformat(" ")


def zoned(rng):
    text = timestamps(rng)
    if "infinity" in text or text.startswith(("4713", "294276")):
        return text
    return text.replace(" BC", "") + zones(rng) + (" BC" if "BC" in text else "")


def intervals(rng):
    return rng.choice(["0", "1 day", "-1 day", "1 year 2 mons 3 days 04:05:06.789", "-1 year -2 mons +3 days -04:05:06.7", "00:00:00.000001", "-00:00:00.5", "999 years",
                       "1 mon", "100:00:00", "178000000 years", "23:59:59.999999", f"{rng.randrange(-5000, 5000)} days", f"{rng.uniform(-1e5, 1e5):.6f} seconds",
                       f"{rng.randrange(-500, 500)} mons {rng.randrange(-90, 90)} days {rng.randrange(-90, 90)} hours"])


def bytes_(rng):
    data = rng.choice([b"", b"\x00", b"\xff\xfe", b"text", "ü".encode(), rng.randbytes(rng.randint(1, 40)), b"{\"a\":1}", rng.randbytes(300)])
    return "\\x" + data.hex()


def uuids(rng):
    return rng.choice(["00000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-4FFF-8FFF-FFFFFFFFFFFF", str(uuid.UUID(int=rng.getrandbits(128)))])


def bits(length, varying=False):
    return lambda rng: "".join(rng.choice("01") for _ in range(rng.randint(0, length) if varying else length))


def of(*values):
    return lambda rng: rng.choice(values)


def hstores(rng):
    words = rng.sample(["a", "b", "key", "ü", "k 1", "", "q\"q", "b\\s", "😀", "AaAa", "BBBB", "z" * 20, "1", "2", "3", "4", "5", "c", "d", "e"], rng.randint(0, 14))
    quote = lambda text: '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return ", ".join(f"{quote(word)}=>{'NULL' if rng.random() < 0.2 else quote(rng.choice(TEXTS[:24]))}" for word in words)


def arrays(element, dimensions=1):
    def value(rng):
        if rng.random() < 0.12:
            return "{}"
        return _array(rng, element, dimensions)
    return value


def _array(rng, element, dimensions):
    if dimensions > 1:
        size, inner = rng.randint(1, 2), rng.randint(1, 3)
        return "{" + ",".join("{" + ",".join(_item(rng, element) for _ in range(inner)) + "}" for _ in range(size)) + "}"
    return "{" + ",".join(_item(rng, element) for _ in range(rng.randint(1, 5))) + "}"


def _item(rng, element):
    if rng.random() < 0.12:
        return "NULL"
    return '"' + element(rng).replace("\\", "\\\\").replace('"', '\\"') + '"'


@dataclasses.dataclass(frozen=True)
class ColumnType:
    sql: str
    value: Callable
    defaults: tuple = ()  # expressions
    setup: tuple = ()  # statements that make the type

    @property
    def is_decimal(self):
        return self.sql.startswith("numeric") or self.sql in ("dnum", "dd")


def literals(cast, *values):
    return tuple("'" + value.replace("'", "''") + f"'::{cast}" for value in values)


MOOD = "CREATE TYPE mood AS ENUM ('sad', 'ok', 'very happy', 'ü,comma', 'it''s')"
MOODS = of("sad", "ok", "very happy", "ü,comma", "it's")
PAIR = "CREATE TYPE pair AS (x int, y text)"

_TEXT_DEFAULTS = ("'default'", "''", "'it''s'", "NULL", "now()::text", "'a' || 'b'", "upper('x')", "current_user::text")
_NUMBER_DEFAULTS = ("0", "7", "-7", "NULL", "1+1", "(random()*10)::int")
_TIME_DEFAULTS = ("now()", "current_timestamp", "localtimestamp", "clock_timestamp()", "NULL")

SIMPLE = [
    ColumnType("uuid", uuids, ("gen_random_uuid()",) + literals("uuid", "7e7e7e7e-0000-4000-8000-000000000001")),
    ColumnType("text", texts, _TEXT_DEFAULTS),
    ColumnType("varchar(255)", sized(255), _TEXT_DEFAULTS),
    ColumnType("varchar", texts, _TEXT_DEFAULTS),
    ColumnType("char(16)", sized(16), ("'abc'", "''")),
    ColumnType("citext", texts, ("'CiText'",)),
    ColumnType("\"char\"", of("a", "", "z"), ("'c'",)),
    ColumnType("smallint", integers(16), ("0", "-3", "12::smallint")),
    ColumnType("integer", integers(32), _NUMBER_DEFAULTS),
    ColumnType("bigint", integers(64), _NUMBER_DEFAULTS + ("9007199254740993",)),
    ColumnType("oid", of("0", "1", "4294967295"), ("5",)),
    ColumnType("numeric(10,2)", numerics(10, 2), ("0", "1.5", "12.50", "-0.01", "NULL")),
    ColumnType("numeric(38,10)", numerics(38, 10), ("1.0000000001",)),
    ColumnType("numeric(5,0)", numerics(5, 0), ("42",)),
    ColumnType("numeric(3,5)", numerics(3, 5)),
    ColumnType("numeric(5,-2)", of("0", "12300", "-100", "9999900")),
    ColumnType("numeric", numerics(), ("0", "1.50", "100", "'NaN'::numeric")),
    ColumnType("money", of("$0.00", "-$12.34", "$1,234,567.89", "92233720368547758.07"), ("'$1.00'",)),
    ColumnType("real", reals(4), ("0", "1.5", "'NaN'::real", "1e10")),
    ColumnType("double precision", reals(8), ("0", "1.5", "0.1", "1e100", "'Infinity'::float8", "random()")),
    ColumnType("boolean", of("t", "f"), ("true", "false", "NULL", "(1 = 1)")),
    ColumnType("bytea", bytes_, ("'\\x00ff'::bytea",)),
    ColumnType("bit(1)", bits(1), ("B'1'", "'0'::\"bit\"")),
    ColumnType("bit(19)", bits(19), ("B'1010101010101010101'",)),
    ColumnType("varbit(20)", bits(20, True), ("B'101'",)),
    ColumnType("varbit", bits(40, True)),
    ColumnType("date", dates, ("'2020-02-29'", "current_date", "now()", "'infinity'")),
    ColumnType("time", times(6), ("'12:34:56.789'", "localtime", "'24:00:00'")),
    ColumnType("time(0)", times(0)),
    ColumnType("time(3)", times(6), ("'01:02:03.004'",)),
    ColumnType("timetz", lambda rng: clock(rng).replace("24:00:00", "12:00:00") + zones(rng), ("'10:00+02'",)),
    ColumnType("timestamp", timestamps, _TIME_DEFAULTS + ("'2020-01-02 03:04:05.678901'", "'-infinity'")),
    ColumnType("timestamp(0)", lambda rng: timestamps(rng).replace("294276", "29427").replace("59.999999", "58.999999")),
    ColumnType("timestamp(3)", lambda rng: timestamps(rng).replace("294276-12-31 23:59:59.999999", "29427-12-31 23:59:59.99"), _TIME_DEFAULTS),
    ColumnType("timestamptz", zoned, _TIME_DEFAULTS + ("'2020-01-02 03:04:05.678+02'", "'infinity'")),
    ColumnType("timestamptz(0)", lambda rng: zoned(rng).replace("294276", "29427").replace("59.999999", "58.999999")),
    ColumnType("timestamptz(3)", lambda rng: zoned(rng).replace("294276-12-31 23:59:59.999999", "29427-12-31 23:59:59.99"), ("'2020-01-02 03:04:05.678+02'",)),
    ColumnType("interval", intervals, ("'1 day'", "'1 year 2 mons'::interval")),
    ColumnType("xml", of("<a/>", "<a b=\"1\">ü</a>", "text", "<a>\n</a>"), ("'<x/>'",)),
    ColumnType("inet", of("10.0.0.1", "10.0.0.0/8", "::1", "2001:db8::/32", "192.168.1.1/32"), ("'1.2.3.4'",)),
    ColumnType("cidr", of("10.0.0.0/8", "2001:db8::/32", "10.1.2.3"), ("'10.0.0.0/8'",)),
    ColumnType("macaddr", of("08:00:2b:01:02:03")),
    ColumnType("macaddr8", of("08:00:2b:01:02:03:04:05")),
    ColumnType("int4range", of("[1,5)", "empty", "(,3)", "[7,)", "[1,5]"), ("'[1,2)'",)),
    ColumnType("tstzrange", of("[2020-01-01 00:00+00,2021-01-01 00:00+00)", "empty", "(,infinity)")),
    ColumnType("numrange", of("[1.5,2.50)", "(,)")),
    ColumnType("tsvector", of("a fat cat", "'x':1A 'y':2", "")),
    ColumnType("ltree", of("a.b.c", "Top", "")),
    ColumnType("hstore", hstores, ("'a=>1'",)),
    ColumnType("point", of("(1,2)", "(0,-0)", "(1.5e10,0.1)", "(NaN,Infinity)", "(-1e-7,123456789)")),
    ColumnType("mood", MOODS, ("'ok'", "'sad'::mood", "'very happy'", "'it''s'"), (MOOD,)),
    ColumnType("\"Mood Two\"", of("A", "b"), ("'A'::\"Mood Two\"",), ("CREATE TYPE \"Mood Two\" AS ENUM ('A', 'b')",)),
    ColumnType("dtext", texts, ("'d'",), ("CREATE DOMAIN dtext AS text",)),
    ColumnType("dvarchar", sized(40), (), ("CREATE DOMAIN dvarchar AS varchar(40) DEFAULT 'of the domain'",)),
    ColumnType("dint", of("1", "2", "99"), ("5",), ("CREATE DOMAIN dint AS int CHECK (VALUE > 0)",)),
    ColumnType("dnum", numerics(8, 3), ("1.5",), ("CREATE DOMAIN dnum AS numeric(8,3)",)),
    ColumnType("dd", numerics(8, 3), (), ("CREATE DOMAIN dnum2 AS numeric(8,3)", "CREATE DOMAIN dd AS dnum2")),
    ColumnType("dts", timestamps, (), ("CREATE DOMAIN dts AS timestamptz",)),
    ColumnType("djson", of("{\"a\": 1}", "[1]", "{}"), (), ("CREATE DOMAIN djson AS jsonb",)),
]

# What Debezium leaves out of its events, or sends as bytes where include.unknown.datatypes is set.
UNKNOWN = [
    ColumnType("pair", of("(1,x)", "(,)", "(2,\"a b\")"), (), (PAIR,)),
    ColumnType("box", of("(3,4),(1,2)", "(1.5,2),(0,0)")),
    ColumnType("circle", of("<(1,2),3>", "<(0.1,1e10),2>")),
    ColumnType("path", of("((0,0),(1,1))", "[(0,0),(1,1),(2,0)]")),
    ColumnType("lseg", of("[(0,0),(1,1)]")),
    ColumnType("line", of("{1,2,3}")),
    ColumnType("polygon", of("((0,0),(1,1),(2,0))")),
    ColumnType("tsquery", of("'a' & 'b'")),
    ColumnType("pg_lsn", of("0/0", "16/B374D848")),
    ColumnType("jsonpath", of("$.\"a\"")),
    ColumnType("int4multirange", of("{[1,3),[5,7)}", "{}")),
    ColumnType("name", of("a", "name")),
]


def _array_of(sql, element, setup=(), dimensions=1):
    return ColumnType(f"{sql}[]" + "[]" * (dimensions - 1), arrays(element, dimensions), ("'{}'",), setup)


ARRAYS = [_array_of(sql, element) for sql, element in [
    ("text", texts), ("varchar(60)", sized(60)), ("char(3)", of("a", "abc", "")), ("citext", texts), ("integer", integers(32)), ("bigint", integers(64)),
    ("smallint", integers(16)), ("boolean", of("t", "f")), ("real", reals(4)), ("double precision", reals(8)), ("numeric", numerics()),
    ("numeric(10,2)", numerics(10, 2)), ("uuid", uuids), ("date", dates), ("time", times(6)), ("timestamp", timestamps), ("timestamptz", zoned),
    ("timestamp(3)", lambda rng: timestamps(rng).replace("294276-12-31 23:59:59.999999", "29427-12-31 23:59:59.99")), ("bytea", bytes_),
    ("inet", of("10.0.0.1", "::1")), ("cidr", of("10.0.0.0/8")), ("macaddr", of("08:00:2b:01:02:03")), ("int4range", of("[1,5)", "empty")),
    ("json", of("{\"a\": 1}", "[1]", "null", "\"x\"")), ("jsonb", of("{\"a\": 1}", "[1]", "\"x\"")), ("oid", of("0", "4294967295")),
    ("interval", intervals), ("money", of("$1.00")), ("bit(3)", bits(3)), ("varbit", bits(5, True)), ("xml", of("<a/>")), ("point", of("(1,2)")), ("hstore", hstores), ("ltree", of("a.b", "Top")),
    ("timetz", lambda rng: clock(rng).replace("24:00:00", "12:00:00") + zones(rng)),
]] + [_array_of("mood", MOODS, (MOOD,)), _array_of("dtext", texts, ("CREATE DOMAIN dtext AS text",)), _array_of("integer", integers(32), (), 2),
      _array_of("pair", of("(1,x)"), (PAIR,))]

UUID, TEXT, VARCHAR, INTEGER = SIMPLE[0], SIMPLE[1], SIMPLE[2], next(kind for kind in SIMPLE if kind.sql == "integer")
BYTEA = next(kind for kind in SIMPLE if kind.sql == "bytea")
ROUTES = [kind for kind in SIMPLE if kind.sql in ("text", "varchar(255)", "varchar", "char(16)", "citext", "dtext", "dvarchar")]
EVENT_TIMES = [ColumnType(sql, event_times, ("now()",)) for sql in ("timestamp", "timestamp(6)", "timestamp(3)", "timestamp(0)", "timestamp(5)")]
