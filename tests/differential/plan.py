"""One configuration to be tried: table, rows and settings. Pure. planner.py makes them."""
import dataclasses

from column_types import ColumnType

SPECIALS = ("NaN", "Infinity", "-Infinity")


@dataclasses.dataclass
class Column:
    name: str
    type: ColumnType
    not_null: bool = False
    default: str | None = None
    nulls: float = 0.0  # share of NULLs

    def ddl(self):
        return (f"{quote(self.name)} {self.type.sql}" + (f" DEFAULT {self.default}" if self.default else "")
                + (" NOT NULL" if self.not_null else ""))

    def value(self, rng):
        if not self.not_null and rng.random() < self.nulls:
            return None
        value = self.type.value(rng)
        return "0" if self.not_null and self.type.is_decimal and value in SPECIALS else value  # see known.py


@dataclasses.dataclass
class Plan:
    number: int
    seed: int
    config: dict
    columns: list
    rows: list  # of texts and Nones, as the columns
    before: int = 0  # so many rows are there before the start (snapshots)
    chunks: list = dataclasses.field(default_factory=list)  # how many rows a statement
    others: list = dataclasses.field(default_factory=list)  # statements after half of the rows: no events
    token: str = ""  # part of each topic's name

    def copy(self, **changes):
        return dataclasses.replace(self, **changes)

    def with_token(self, token):
        """The same with topics of its own."""
        put = lambda text: text.replace(self.token, token) if isinstance(text, str) else text
        columns = [dataclasses.replace(column, default=put(column.default),
                                       type=dataclasses.replace(column.type, setup=tuple(put(statement) for statement in column.type.setup)))
                   for column in self.columns]
        return self.copy(token=token, columns=columns, config={key: put(value) for key, value in self.config.items()},
                         rows=[[put(value) for value in row] for row in self.rows])

    def types(self):
        return list(dict.fromkeys(statement for column in self.columns for statement in column.type.setup))

    def extensions(self):
        used = " ".join(column.type.sql for column in self.columns)
        return [f"CREATE EXTENSION {name}" for name in ("citext", "hstore", "ltree") if name in used]

    def setup(self, extensions=False):
        table = f"CREATE TABLE public.outbox ({', '.join(column.ddl() for column in self.columns)})"
        return (self.extensions() if extensions else []) + self.types() + [table] + self.inserts(self.rows[:self.before])

    def sql(self):
        inserts = self.inserts(self.rows[self.before:])
        half = len(inserts) // 2
        return inserts[:half] + self.others + inserts[half:]

    def inserts(self, rows):
        names = ", ".join(quote(column.name) for column in self.columns)
        statements, at, sizes = [], 0, iter(self.chunks)
        while at < len(rows):
            size = next(sizes, 50)
            values = ", ".join("(" + ", ".join(literal(value) for value in row) + ")" for row in rows[at:at + size])
            statements.append(f"INSERT INTO public.outbox ({names}) VALUES {values}")
            at += size
        return statements


def quote(name):
    return '"' + name.replace('"', '""') + '"'


def literal(value):
    return "NULL" if value is None else "'" + value.replace("'", "''") + "'"
