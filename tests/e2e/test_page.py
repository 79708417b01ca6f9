"""The status page in a real browser (headless Chromium), in the states that an operator meets; every console message is an error here.

POSTRIDER_PICTURES=FOLDER keeps the pictures."""
import os
import pathlib
import re
import subprocess

import pytest
from harness import ExitCode, wait_for
from harness.monitor import Monitor
from harness.process import new_folder
from harness.relay import AS_TEXT

PHONE, DESK = "390,844", "1280,1000"


class Page:
    """`dump` is the page's text after its script has run; a picture of it is left in the test's folder."""

    def __init__(self, address):
        self.url, self.folder = f"http://{address}/", new_folder("page")

    def browse(self, *options, size=DESK):
        answer = subprocess.run(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--enable-logging=stderr",
             f"--user-data-dir={self.folder}/profile", f"--window-size={size}", "--virtual-time-budget=3000", *options, self.url],
            capture_output=True, text=True, timeout=60)
        console = [line for line in answer.stderr.splitlines() if "CONSOLE" in line]
        assert not console, console
        return answer.stdout

    def text(self):
        markup = re.sub(r"<(style|script)>.*?</\1>", "", self.browse("--dump-dom"), flags=re.DOTALL)
        return re.sub(r"<[^>]*>", " ", markup)

    def picture(self, name, size=DESK):
        file = pathlib.Path(os.environ.get("POSTRIDER_PICTURES", self.folder)) / f"{name}.png"
        self.browse(f"--screenshot={file}", size=size)
        assert file.stat().st_size > 10_000
        return file

    def wait_state(self, state, timeout_s=60):
        wait_for(lambda: re.search(rf'id="state">{state}<', self.browse("--dump-dom")), timeout_s, lambda: f"the page says {state}: {self.text()[:400]}", 1)


def test_streaming(site):
    relay = site.relay(AS_TEXT)
    page = Page(relay.settings["postrider.http.address"])
    relay.start()
    site.insert(rows=12)
    site.wait_all_confirmed()
    page.wait_state("streaming")
    text = page.text()
    assert site.topic in text and "public.outbox" in text and site.slot in text and "reachable" in text
    assert not re.search(r"\b(NaN|undefined|null|\[object)\b", text), text
    assert "http" not in page.browse("--dump-dom").replace("http-equiv", "").replace("http://www.w3.org/2000/svg", ""), "nothing from another host"
    page.picture("streaming")
    page.picture("streaming-phone", PHONE)
    assert relay.stop() == ExitCode.STOPPED


@pytest.mark.full
def test_standby(site):
    site.relay(AS_TEXT).start()
    second = site.relay(AS_TEXT)
    page = Page(second.settings["postrider.http.address"])
    second.start(wait=False)
    page.wait_state("standby")
    page.picture("standby")


@pytest.mark.full
def test_held(site):
    site.kafka.create_topic(site.topic, config={"max.message.bytes": "20000"})
    relay = site.relay(AS_TEXT)
    page = Page(relay.settings["postrider.http.address"])
    relay.start()
    site.insert(payload_bytes=50_000)
    page.wait_state("held")
    assert "raise max.message.bytes" in page.text() and "postrider held list" in page.text()
    page.picture("held")


@pytest.mark.full
def test_the_broker_is_down(new_site, new_kafka):
    site = new_site(broker=new_kafka())
    relay = site.relay(AS_TEXT)
    page = Page(relay.settings["postrider.http.address"])
    relay.start()
    site.insert()
    site.wait_records(1)
    site.kafka.kill9()
    site.sql("INSERT INTO outbox (aggregatetype, aggregateid, type, payload) VALUES (%s, 'k', 'Placed', '{}')", (site.name,))
    page.wait_state("stalled", 90)
    assert "away" in page.text() and "kafka_away" in page.text()
    page.picture("broker-down")


@pytest.mark.full
def test_the_slot_is_lost(new_site, new_postgres):
    """The relay has ended; the watcher beside it still says so."""
    site = new_site(new_postgres(15, {"max_slot_wal_keep_size": "1MB", "max_wal_size": "32MB", "min_wal_size": "32MB"}))
    relay = site.relay(AS_TEXT).start()
    site.insert()
    site.wait_all_confirmed()
    assert relay.stop() == ExitCode.STOPPED
    watcher = Monitor(relay).start()
    page = Page(watcher.address)
    try:
        for _ in range(3):
            site.fill_wal(40)
        page.wait_state("slot lost")
        page.picture("slot-lost")
    finally:
        watcher.child.kill9()
