"""Makes a plan that differs small: one row, few options, few columns; shows it and keeps it as a case."""
import json
import pathlib
import sys

from comparison import compare

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "conformance"))
from compare import as_recorded  # noqa: E402

KEPT = HERE.parents[1] / "build" / "differential"
LETTERS = "uvwyz"  # for the topics of plans that are tried side by side
NEEDED = {"connector.class", "plugin.name", "transforms", "transforms.outbox.type", "poll.interval.ms", "slot.drop.on.stop", "key.converter",
          "value.converter", "snapshot.mode", "errors.tolerance", "table.include.list", "extended.headers.enabled"}
PLACEMENT = "transforms.outbox.table.fields.additional.placement"


SHOWN_CHARACTERS = 400


def shown(record):
    shape = as_recorded(record)
    shape["headers"] = [header for header in shape["headers"] if not header[0].startswith("__debezium")]
    return json.dumps(shape, ensure_ascii=False)


def apart(theirs, ours):
    """What is around the first difference of two records: the two texts."""
    left, right = shown(theirs), shown(ours)
    at = next((index for index, pair in enumerate(zip(left, right)) if pair[0] != pair[1]), 0)
    start = max(0, at - SHOWN_CHARACTERS)
    return [f"...{text[start:at + SHOWN_CHARACTERS]}" if len(text) > 2 * SHOWN_CHARACTERS else text for text in (left, right)]


def differing(sides, plans):
    """The first of these that differs, with its verdict and outcomes; None where none does."""
    plans = [plan.with_token(letter + plan.token[1:]) for plan, letter in zip(plans, LETTERS)]
    for plan, (debezium, postrider) in zip(plans, sides.run(plans)):
        verdict = compare(plan, debezium, postrider, sides.worker.java_version)
        if verdict.differences:
            return plan, verdict, debezium, postrider
    return None


def one_row(plan, row):
    rows = [values for values in plan.rows if values[-1] == str(row)] or plan.rows[:1]
    return plan.copy(rows=rows, before=min(plan.before, 1), others=[])


def fewer_options(plan):
    """Each with one option less."""
    for key in plan.config:
        if key not in NEEDED and key != PLACEMENT:
            yield plan.copy(config={name: value for name, value in plan.config.items() if name != key})
    if plan.config.get("snapshot.mode") == "initial":
        yield plan.copy(config=plan.config | {"snapshot.mode": "no_data"}, before=0)
    places = [place.strip() for place in plan.config.get(PLACEMENT, "").split(",")]
    for place in places:
        if place != "n:header":
            yield plan.copy(config=plan.config | {PLACEMENT: ",".join(other for other in places if other != place)})


def fewer_columns(plan):
    used = json.dumps(plan.config, ensure_ascii=False)
    for index, column in enumerate(plan.columns):
        if column.name not in used and column.name not in ("id", "aggregateid", "aggregatetype", "payload", "n"):
            yield plan.copy(columns=[other for other in plan.columns if other is not column],
                            rows=[values[:index] + values[index + 1:] for values in plan.rows])


def shrink_and_keep(sides, plan, verdict):
    row = verdict.differences[0][0]
    found = differing(sides, [one_row(plan, row)]) if row is not None else None
    if found is None:
        print(f"configuration {plan.number}: does not differ again with row {row} alone", flush=True)
        return
    for smaller in (fewer_options, fewer_columns):
        found = shrunk(sides, found, smaller)
    keep(*found)


def shrunk(sides, found, smaller):
    """As long as something can go, it goes."""
    tried = set()
    for _ in range(30):
        candidates = []
        for candidate in smaller(found[0]):
            mark = json.dumps([sorted(candidate.config), candidate.config.get(PLACEMENT), len(candidate.columns), [c.name for c in candidate.columns]])
            if mark not in tried and len(candidates) < len(LETTERS):
                tried.add(mark)
                candidates.append(candidate)
        if not candidates:
            break
        found = differing(sides, candidates) or found
    return found


def keep(plan, verdict, debezium, postrider):
    name = f"seed{plan.seed}-{plan.number}"
    dropped = {"connector.class", "plugin.name", "transforms", "transforms.outbox.type", "poll.interval.ms", "slot.drop.on.stop", "extended.headers.enabled"}
    records = [as_recorded(record) for record in debezium.records]
    for record in records:
        record["headers"] = [header for header in record["headers"] if not header[0].startswith("__debezium.context.")]
    case = {"name": name, "config": {key: value for key, value in plan.config.items() if key not in dropped}, "setup": plan.setup(extensions=True),
            "sql": plan.sql(), "expect": {"records": records, "t0": debezium.t0, "t1": debezium.t1}, "debezium": "FAILED" if debezium.refused else "RUNNING"}
    KEPT.mkdir(parents=True, exist_ok=True)
    (KEPT / f"{name}.json").write_text(json.dumps(case, ensure_ascii=False))
    print(f"--- seed {plan.seed} configuration {plan.number}: build/differential/{name}.json")
    print("    " + json.dumps(case["config"], ensure_ascii=False))
    print("    " + "\n    ".join(case["setup"] + case["sql"]))
    describe(verdict)


def describe(verdict):
    """The first difference."""
    row, text, theirs, ours = verdict.differences[0]
    print(f"    row {row}: {text[:800]}")
    texts = apart(theirs[0], ours[0]) if theirs and ours else [shown(record)[:2 * SHOWN_CHARACTERS] for record in (theirs + ours)[:1]]
    names = ["Debezium ", "Postrider"] if theirs else ["Postrider"]
    print(*(f"    {name} {text}" for name, text in zip(names, texts)), sep="\n", flush=True)
