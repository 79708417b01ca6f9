#!/usr/bin/env python3
"""Records what PostgreSQL's pgoutput sends for the recorded cases: captured.json.gz, which replay_test.cc reads.

usage: capture.py [--postgres VERSION] [--output FILE] [--cases FOLDER] [--binary] [--new]

It starts a PostgreSQL of its own. For each case: a database, a publication of all tables and a slot; then the case's statements, and after
`setup` and after each of `sql` the messages that came. The output is gzip of

    {"<case>": {"setup": [message, ...], "sql": [message, ...]}}

A message is {"data": base64} and for a Relation also "table": the catalogue at that moment, with the names of src/base/table.h.
"""
import argparse
import base64
import gzip
import json
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))

import psycopg2  # noqa: E402
from harness import Postgres, cleanup  # noqa: E402

DATABASE, SLOT, PUBLICATION = "captured", "captured", "captured"

# The relay pins these on its connections, whatever role and database say.
SESSION = ["bytea_output = hex", "datestyle = ISO", "intervalstyle = postgres", "timezone = UTC", "extra_float_digits = 1"]

# The broker refuses this row for its size, which has no part here: a small one stands for it.
SMALLER = {"too-big-payload": ("generate_series(1,60000)", "generate_series(1,60)")}

COLUMNS = """
SELECT a.attname, a.atttypid, a.atttypmod, a.attnotnull, a.attgenerated <> '', pg_get_expr(d.adbin, d.adrelid)
FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.attgenerated = ''
WHERE a.attrelid = %s AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
"""
TYPES = """
SELECT t.oid::int8, n.nspname, t.typname, t.typtype, t.typbasetype::int8, t.typtypmod, t.typnotnull,
       CASE WHEN t.typcategory = 'A' THEN t.typelem::int8 ELSE 0 END,
       ARRAY(SELECT enumlabel::text FROM pg_enum WHERE enumtypid = t.oid ORDER BY enumsortorder)
FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
"""


def type_info(types, oid, modifier):
    """As base/table.h's TypeInfo, and whether a domain on the way is NOT NULL."""
    not_null = False
    schema, name, kind, base, base_modifier, domain_not_null, element, labels = types[oid]
    while kind == "d":
        not_null = not_null or domain_not_null
        oid, modifier = base, modifier if modifier != -1 else base_modifier
        schema, name, kind, base, base_modifier, domain_not_null, element, labels = types[oid]
    info = {"oid": oid, "modifier": modifier, "schema": schema, "name": name, "kind": kind, "enum_labels": labels}
    if element:
        info_of_element, _ = type_info(types, element, -1)
        info |= {"element_oid": info_of_element["oid"], "element_schema": info_of_element["schema"],
                 "element_name": info_of_element["name"], "element_kind": info_of_element["kind"],
                 "enum_labels": info_of_element["enum_labels"]}
    return info, not_null


class Capture:
    def __init__(self, connect, binary):
        self.connect, self.binary = connect, binary

    def sql(self, statement, parameters=None, database=DATABASE):
        connection = self.connect(database)
        try:
            with connection.cursor() as cursor:
                cursor.execute(statement, parameters)
                return cursor.fetchall() if cursor.description else None
        finally:
            connection.close()

    def begin(self, config):
        if self.sql("SELECT 1 FROM pg_replication_slots WHERE slot_name = %s", (SLOT,), "postgres"):
            self.sql("SELECT pg_drop_replication_slot(%s)", (SLOT,), "postgres")
        self.sql(f"DROP DATABASE IF EXISTS {DATABASE}", database="postgres")
        self.sql(f"CREATE DATABASE {DATABASE} TEMPLATE template0", database="postgres")
        root = config.get("publish.via.partition.root", "false")
        via_root = f" WITH (publish_via_partition_root = {root})" if root == "true" else ""
        self.sql(f"CREATE PUBLICATION {PUBLICATION} FOR ALL TABLES{via_root}")
        self.sql("SELECT pg_create_logical_replication_slot(%s, 'pgoutput')", (SLOT,))

    def messages(self):
        """What came since the last call."""
        connection = self.connect(DATABASE)
        try:
            with connection.cursor() as cursor:
                for setting in SESSION:
                    cursor.execute("SET " + setting)
                options = ["proto_version", "1", "publication_names", PUBLICATION] + (["binary", "true"] if self.binary else [])
                cursor.execute("SELECT data FROM pg_logical_slot_get_binary_changes(%s, NULL, NULL, VARIADIC %s)", (SLOT, options))
                return [self.message(bytes(data)) for (data,) in cursor.fetchall()]
        finally:
            connection.close()

    def message(self, data):
        message = {"data": base64.b64encode(data).decode()}
        if data[:1] == b"R":
            message["table"] = self.table(struct.unpack(">I", data[1:5])[0])
        return message

    def table(self, oid):
        found = self.sql("SELECT n.nspname, c.relname, c.relkind, c.relpersistence FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
                         " WHERE c.oid = %s", (oid,))
        if not found:
            return None
        types = {row[0]: row[1:] for row in self.sql(TYPES)}
        columns = []
        for name, type_oid, modifier, not_null, generated, default in self.sql(COLUMNS, (oid,)):
            info, domain_not_null = type_info(types, type_oid, modifier)
            columns.append({"name": name, "type": info, "not_null": not_null or domain_not_null, "generated": generated, "default": default})
        schema, name, kind, persistence = found[0]
        return {"oid": oid, "schema": schema, "name": name, "kind": kind, "persistence": persistence, "columns": columns}

    def case(self, case):
        self.begin(case["config"])
        before, after = SMALLER.get(case["name"], ("", ""))
        result = {"setup": [], "sql": []}
        for part in ("setup", "sql"):
            for statement in case[part]:
                try:
                    self.sql(statement.replace(before, after) if before else statement)
                except psycopg2.Error:
                    pass  # some recordings have statements that the server refuses
                result[part] += self.messages()
        for statement in case.get("teardown", []):
            self.sql(statement)
        return result


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--postgres", type=int, default=15, metavar="VERSION")
    arguments.add_argument("--cases", type=pathlib.Path, default=HERE / "cases", metavar="FOLDER")
    arguments.add_argument("--output", type=pathlib.Path, default=HERE / "captured.json.gz", metavar="FILE")
    arguments.add_argument("--binary", action="store_true", help="values in binary form where the server can")
    arguments.add_argument("--new", action="store_true", help="only the cases that the output lacks; the others stay as they are")
    options = arguments.parse_args()
    kept = json.loads(gzip.decompress(options.output.read_bytes())) if options.new else {}
    try:
        capture = Capture(Postgres(options.postgres).connect, options.binary)
        cases = [json.loads(file.read_text()) for file in sorted(options.cases.glob("*.json"))]
        captured = {case["name"]: kept.get(case["name"]) or capture.case(case) for case in cases}
    finally:
        cleanup()
    with gzip.GzipFile(options.output, "wb", mtime=0) as file:
        file.write(json.dumps(captured, separators=(",", ":")).encode())
    print(f"{len(captured)} cases in {options.output}")


if __name__ == "__main__":
    main()
