"""What ops/ asks Prometheus for: every metric is one of ours, every alert is complete, tested and explained, every panel has data."""
import json
import pathlib
import re
import subprocess

import pytest
from harness.alerting import programs_missing
from test_alerts import LIMITED, Traffic, Watched

OPS = pathlib.Path(__file__).resolve().parents[2] / "ops"
RULES = OPS / "prometheus" / "rules.yml"
EXPORTER_RULES = OPS / "prometheus" / "rules-postgres-exporter.yml"
DASHBOARDS = sorted((OPS / "grafana" / "dashboards").glob("*.json"))
VARIABLES = {"$cluster": ".*", "$__rate_interval": "30s"}


def queries(dashboard):
    """(panel, query) of one file."""
    return [(panel["title"], target["expr"]) for panel in json.loads(dashboard.read_text())["panels"] for target in panel.get("targets", [])]


def alerts(file):
    """name -> text of the rule."""
    return dict(re.findall(r"- alert: (\w+)\n(.*?)(?=\n\n|\Z)", file.read_text(), re.DOTALL))


def slug(heading):
    """The anchor that a heading gets."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def metrics():
    """Name -> labels, as METRICS.md has them; of a histogram also its series."""
    lines = re.findall(r"^\| `(postrider_\w+)` \|([^|]*)\| (\w+) \|", (OPS.parent / "METRICS.md").read_text(), re.MULTILINE)
    found = {name: set(re.findall(r"\w+", labels)) for name, labels, _ in lines}
    for name, labels, kind in lines:
        if kind == "histogram":
            found |= {f"{name}_bucket": found[name] | {"le"}, f"{name}_count": found[name], f"{name}_sum": found[name]}
    return found


@pytest.mark.parametrize("file", [RULES, *DASHBOARDS], ids=lambda file: file.name)
def test_every_metric_that_is_asked_for_is_in_the_table(file):
    text, known = file.read_text().replace('\\"', '"'), metrics()
    used = set(re.findall(r"\bpostrider_\w+", text))
    assert used and used - known.keys() == set()
    for name, matchers in re.findall(r"\b(postrider_\w+)\{(.*?)\}", text):
        labels = set(re.findall(r'(\w+)=~?"', matchers))
        assert labels <= known[name] | {"slot", "cluster"}, f"{name}: {labels}"


@pytest.mark.parametrize("file", [RULES, *DASHBOARDS], ids=lambda file: file.name)
def test_every_recorded_series_that_is_asked_for_is_recorded(file):
    recorded = set(re.findall(r"- record: (\S+)", RULES.read_text()))
    assert set(re.findall(r"\bpostrider:[\w:]+", file.read_text())) - recorded == set()


@pytest.mark.parametrize("file", [RULES, EXPORTER_RULES], ids=lambda file: file.name)
def test_every_alert_is_complete_tested_and_explained(file):
    anchors = {slug(heading) for heading in re.findall(r"^#+ (.*)$", (OPS / "runbook.md").read_text(), re.MULTILINE)}
    tests = "".join(test.read_text() for test in (OPS / "prometheus" / "tests").glob("*.yml"))
    assert len(alerts(file)) > 5
    for name, rule in alerts(file).items():
        assert re.search(r"severity: (page|ticket)\}", rule), name
        assert "summary: " in rule and "description: " in rule, name
        path, anchor = re.search(r"runbook_url: (\S+)#(\S+)", rule).groups()
        assert path == "ops/runbook.md" and anchor in anchors, f"{name}: {anchor}"
        assert f'"{name}"' in tests or f"alertname: {name}" in tests, f"{name} has no test"


def test_inhibition_names_alerts_that_exist_and_never_both_ways():
    text = (OPS / "alertmanager" / "alertmanager.yml").read_text()
    known, silenced = set(alerts(RULES)) | set(alerts(EXPORTER_RULES)), set()
    for source, targets in re.findall(r'source_matchers: \[alertname=~?"(.*?)"\]\n    target_matchers:\n      - alertname=~?"(.*?)"', text):
        silenced |= {(one, other) for one in source.split("|") for other in targets.split("|")}
    names = {name for pair in silenced for name in pair} - {"PostgresSlot.*"}
    assert names and names <= known, names - known
    assert not {(other, one) for one, other in silenced} & silenced
    assert not any(target == "PostriderSlotLost" for _, target in silenced)


@pytest.mark.parametrize("file", DASHBOARDS, ids=lambda file: file.name)
def test_a_dashboard_can_be_imported_anywhere(file):
    board = json.loads(file.read_text())
    assert board["uid"] == file.stem and board["title"].startswith("Postrider")
    ids = [panel["id"] for panel in board["panels"]]
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'"uid": "(.*?)"', file.read_text())) == {file.stem, "${datasource}"}, "the source of data is chosen, not written"
    assert board["templating"]["list"][0]["type"] == "datasource"


def test_the_composition_brings_all_of_it():
    composed = subprocess.run(["docker-compose", "--profile", "monitoring", "-f", OPS.parent / "docker-compose.yml", "config"],
                              capture_output=True, text=True)
    assert composed.returncode == 0, composed.stderr
    text = (OPS.parent / "docker-compose.yml").read_text()
    for file in [RULES, OPS / "prometheus" / "prometheus.yml", OPS / "alertmanager" / "alertmanager.yml", *(OPS / "grafana").rglob("*.*")]:
        assert f"./{file.relative_to(OPS.parent)}:/" in text, file


@pytest.mark.full
@pytest.mark.limit(300)
@pytest.mark.skipif(bool(programs_missing()), reason="needs scripts/install-deps test")
def test_every_panel_has_data(new_site, new_postgres):
    """Of a relay at work, beside another slot, while a transaction is open and the log grows."""
    site = new_site(new_postgres(15, LIMITED))
    site.sql("SELECT pg_create_logical_replication_slot('another', 'pgoutput')")
    watched = Watched(site)
    open_one = site.connect()
    open_one.autocommit = False
    open_one.cursor().execute("INSERT INTO ledger (id, key, number) VALUES (gen_random_uuid(), 'open', 1)")
    try:
        with Traffic(site, megabytes_per_s=3):
            watched.look(40)
            empty = []
            for panel, query in [found for dashboard in DASHBOARDS for found in queries(dashboard)]:
                for name, value in (VARIABLES | {"$slot": site.slot}).items():
                    query = query.replace(name, value)
                found = watched.prometheus.query(query)
                if not any(value == value for _, value in found):  # NaN is none
                    empty.append(f"{panel}: {query}: {found}")
            assert not empty, "\n".join(empty)
    finally:
        open_one.close()
        watched.close()
        watched.relay.kill9()
        site.sql("SELECT pg_drop_replication_slot('another')")
