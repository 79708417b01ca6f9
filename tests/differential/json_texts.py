"""Random JSON as applications write it, and as none should: what the router's expansion has to tell apart.

`clean` documents are such that Debezium itself expands them. The others (see nasty_document) hold what makes it fall back to the text, or stop.
"""
import json

WORDS = ["a", "b", "id", "name", "orderId", "total", "items", "x-y", "$ref", "näme", "emoji😀", "with space", "a.b", "A", "schema", "payload", "0", "\u2028"]

STRINGS = ["", " ", "a", "text", "ünïcode", "日本語", "😀", "\u0001", "\b\f\n\r\t", "\"quoted\"", "back\\slash", "/slash/", "\u007f", "\u0080", "\u2028\u2029",
           "null", "true", "1", "{}", "</script>", "e\u0301", "\u200f\u202e", "\ufeff", "\uffff", "a" * 300]

INTS = ["0", "1", "-1", "42", "2147483647", "-2147483648", "2147483648", "-2147483649", "9007199254740993", "9223372036854775807",
        "-9223372036854775808"]
REALS = ["0.0", "-0.0", "1.0", "1.10", "99.00", "0.1", "1e2", "1E5", "1e-5", "1.5e10", "12345678.9", "0.001", "0.0009999", "9999999.0", "10000000.0",
         "1e300", "1.7976931348623157e308", "4.9E-324", "2.2250738585072014E-308", "3.141592653589793", "1e21", "123456789012345678901.5", "1e400",
         "2e-3", "5e-324", "1.0E-10", "100.0", "2.0E23", "1.0E23", "2.2E-322", "0.30000000000000004"]
BIG_INTS = ["9223372036854775808", "-9223372036854775809", "123456789012345678901234567890"]


def quoted(rng, text):
    """A JSON string, now and then with escapes that need not be."""
    if rng.random() < 0.3:
        return json.dumps(text)
    if rng.random() < 0.1:
        return '"' + "".join(f"\\u{unit:04x}" for unit in _utf16(text)) + '"'
    return json.dumps(text, ensure_ascii=False)


def _utf16(text):
    data = text.encode("utf-16-be", "surrogatepass")
    return [int.from_bytes(data[at:at + 2], "big") for at in range(0, len(data), 2)]


def real(rng):
    if rng.random() < 0.6:
        return rng.choice(REALS)
    return repr(rng.uniform(-1, 1) * 10.0 ** rng.randint(-30, 30))


def scalar(rng, kind=None):
    kind = kind or rng.choice(["string", "string", "int", "long", "real", "bool"])
    if kind == "string":
        return quoted(rng, rng.choice(STRINGS))
    if kind == "int":
        return rng.choice(INTS[:6] + [str(rng.randint(-10**6, 10**6))])
    if kind == "long":
        return rng.choice(INTS[6:] + [str(rng.randint(2**40, 2**60))])
    if kind == "real":
        return real(rng)
    return rng.choice(["true", "false"])


class Shape:
    """A document's structure, of which many documents are made: rows of one table look alike."""

    def __init__(self, rng, depth=3):
        self.members = [(word, self._kind(rng, depth)) for word in rng.sample(WORDS, rng.randint(0, 6))]

    def _kind(self, rng, depth):
        kinds = ["string", "int", "long", "real", "bool", "string", "int", "null", "empty array", "empty object"]
        kind = rng.choice(kinds + (["object", "array of objects", "array of unlike objects", "array", "array", "nested array"] if depth > 0 else []))
        if kind in ("object", "array of objects"):
            return kind, Shape(rng, depth - 1)
        if kind == "array of unlike objects":
            return kind, Shape(rng, 0)  # which of several nested schemas wins is by chance: see known.py
        if kind in ("array", "nested array"):
            return kind, rng.choice(["string", "int", "long", "real", "bool"])
        return kind, None

    def document(self, rng, all_members=True):
        space = rng.choice(["", "", " ", "\n  "])
        members = [f"{quoted(rng, word)}:{space}{self._value(rng, *kind)}" for word, kind in self.members if all_members or rng.random() < 0.7]
        return "{" + f",{space}".join(members) + "}"

    def _value(self, rng, kind, inner):
        if kind == "null":
            return "null"
        if kind == "empty array":
            return "[]"
        if kind == "empty object":
            return "{}"
        if kind == "object":
            return inner.document(rng)
        if kind == "array of objects":
            return "[" + ", ".join(inner.document(rng) for _ in range(rng.randint(1, 3))) + "]"
        if kind == "array of unlike objects":
            return "[" + ", ".join(inner.document(rng, False) for _ in range(rng.randint(1, 3))) + "]"
        if kind == "array":
            items = [scalar(rng, inner) for _ in range(rng.randint(1, 4))]
            if rng.random() < 0.15:
                items.insert(rng.randint(0, len(items)), "null")
            return "[" + ",".join(items) + "]"
        if kind == "nested array":
            return "[" + ",".join("[" + ",".join(scalar(rng, inner) for _ in range(rng.randint(1, 3))) + "]" for _ in range(rng.randint(1, 3))) + "]"
        return scalar(rng, kind)


def nasty_document(rng, depth=4):
    """Anything at all that is JSON."""
    kind = rng.random()
    if depth == 0 or kind < 0.45:
        return rng.choice([scalar(rng), "null", rng.choice(BIG_INTS), rng.choice(INTS), "[]", "{}", real(rng)])
    space = rng.choice(["", " "])
    if kind < 0.75:
        members = [f"{quoted(rng, rng.choice(WORDS))}:{space}{nasty_document(rng, depth - 1)}" for _ in range(rng.randint(0, 4))]
        return "{" + ",".join(members) + "}"
    return "[" + f"{space},".join(nasty_document(rng, depth - 1) for _ in range(rng.randint(0, 3))) + "]"


def json_text(rng, shape, nastiness, raw):
    """One value of a json column (`raw`: as it is written, so blanks and doubled names count) or a jsonb column."""
    if rng.random() >= nastiness:
        return shape.document(rng)
    odd = rng.random()
    if raw and odd < 0.15:
        return rng.choice([" {\"a\":1}", "\n[1]", "{\"a\":1,\"a\":2}", "{\"a\":\"\\ud800\"}", "{\"\\udc00x\":1}", "{\"a\":{},\"b\":1,\"a\":[]}", "{ }", "[ ]"])
    if odd < 0.3:
        return rng.choice(["null", "\"\"", "\"text\"", "1", "1.50", "true", "[]", "{}", "[1,2]", "[{\"a\":1},{\"b\":2}]", "{\"\":1}", "[null]",
                           "{\"a\":[null]}", "{\"a\":[[]]}", "{\"a\":[1,\"x\"]}", "{\"a\":[1,2.0]}", "{\"a\":[{\"b\":1},{\"b\":\"x\"}]}"])
    if odd < 0.35:
        depth = rng.choice([10, 100, 900])
        return "{\"a\":" * depth + "1" + "}" * depth
    return nasty_document(rng)
