# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a page of `rooftile report` works: check_report.py page PAGE looks whether it is well-formed, small and needs nothing
beside it; check_report.py browser PAGE whether a browser has no complaint at three widths, light and dark, and charts, search
and table answer; check_report.py make FILE writes 2,000 results with counters, intervals, failures of the vendor and processes."""
import fcntl
import json
import os
import pathlib
import re
import select
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

LARGEST = 3_000_000
# Focuses a mark of each chart with the keyboard and the pointer, searches, and returns what the page shows.
PROBE = """(async () => {
  const found = {panels: []}, wait = ms => new Promise(done => setTimeout(done, ms));
  const until = async done => { for (let i = 0; i < 100 && !done(); ++i) await wait(50); };
  const wide = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
  found.wide = [wide()];
  for (const panel of report.panels) {
    if (panel.box.closest('section').hidden) continue;
    panel.box.scrollIntoView();
    await until(() => panel.chart || panel.box.hidden);
    if (panel.box.hidden) continue;
    const seen = {kind: panel.kind, chips: panel.chips.children.length};
    panel.canvas.focus();
    panel.canvas.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}));
    seen.key = panel.said.textContent;
    panel.said.textContent = '';
    await until(() => {
      const at = panel.chart.getDatasetMeta(0).data[0].getCenterPoint(), box = panel.canvas.getBoundingClientRect();
      panel.canvas.dispatchEvent(new MouseEvent('mousemove', {clientX: box.left + at.x, clientY: box.top + at.y, bubbles: true}));
      return panel.said.textContent;
    });
    seen.pointer = panel.said.textContent;
    seen.tip = panel.chart.tooltip.opacity;
    for (const chip of panel.chips.children) chip.click();
    seen.off = panel.chart.getVisibleDatasetCount();
    for (const chip of panel.chips.children) chip.click();
    seen.on = panel.chart.getVisibleDatasetCount() - panel.chart.data.datasets.length;
    found.panels.push(seen);
  }
  found.wide.push(wide());
  const machine = document.getElementById('machine');
  machine.value = '1';
  machine.dispatchEvent(new Event('change'));
  const lines = () => document.querySelectorAll('#results tbody tr').length;
  found.closed = lines();
  document.getElementById('all').open = true;
  await until(lines);
  found.lines = lines();
  document.querySelector('#results > button').click();
  found.more = lines();
  document.getElementById('search').value = 'vendor 512x512x512';
  document.getElementById('search').dispatchEvent(new Event('input'));
  await until(() => document.getElementById('matches').textContent);
  found.search = lines();
  found.matches = document.getElementById('matches').textContent;
  const paper = () => getComputedStyle(document.body).backgroundColor;
  found.paper = paper();
  document.getElementById('theme').click();
  await until(() => paper() !== found.paper);
  found.other = paper();
  for (const details of document.querySelectorAll('details')) details.open = true;
  await wait(100);
  found.wide.push(wide());
  found.width = window.innerWidth;
  return JSON.stringify(found);
})()"""


class Browser:
    """Chromium without a window, driven by its DevTools protocol over a pipe."""

    def __init__(self, program, folder):
        to_read, self.to_write = os.pipe()
        self.to_hear, to_say = os.pipe()
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (to_read, to_say)]  # 3 and 4 are used below
        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}", "--remote-debugging-pipe"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=(3, 4),
            preexec_fn=lambda: (os.dup2(ends[0], 3), os.dup2(ends[1], 4)))
        for end in (*ends, to_read, to_say):
            os.close(end)
        self.number, self.session, self.heard, self.events = 0, None, b"", []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.ask(domain + ".enable")

    def hear(self):
        while b"\0" not in self.heard:
            ready, _, _ = select.select([self.to_hear], [], [], 120)
            more = os.read(self.to_hear, 1 << 20) if ready else b""
            assert more, "the browser says nothing"
            self.heard += more
        message, self.heard = self.heard.split(b"\0", 1)
        return json.loads(message)

    def ask(self, method, **arguments):
        self.number += 1
        message = {"id": self.number, "method": method, "params": arguments}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.hear()
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def open(self, page, width, height, scheme):
        self.events = []
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.ask("Page.navigate", url=page.absolute().as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.hear())

    def value(self, script):
        answer = self.ask("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def complaints(self):
        return [event for event in self.events if event.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded") or
                event.get("method") == "Runtime.consoleAPICalled" and event["params"]["type"] in ("error", "warning", "assert")]

    def close(self):
        self.process.kill()
        self.process.wait()


def check_page(page):
    assert page.stat().st_size <= LARGEST, f"{page.stat().st_size} bytes"
    text = page.read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    assert len(ids) == len(set(ids)), "an id twice"
    for e in root.iter():
        tag = e.tag.split("}")[-1]
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "form", "image", "use"), tag
        for name, value in e.attrib.items():
            plain = name.split("}")[-1]
            assert plain not in ("src", "href", "srcset", "action", "data") and not plain.startswith("on"), f"{tag} {name}={value}"
            assert "url(" not in value, f"{tag} {name}={value}"
        if tag == "style":
            assert not re.search(r"url\(|@import", e.text), "a style asks for more"
    assert "default-src 'none'" in text, "no policy against the network"
    if "id=\"modes\"" in text:
        assert "MIT License" in text or "Permission is hereby granted" in text, "no licence"


def check_browser(page):
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None or "id=\"modes\"" not in page.read_text(encoding="utf-8"):
        print("skipped: no Chromium, or no Chart.js in the build")
        return
    folder = tempfile.mkdtemp()
    shown = Browser(browser, folder)
    try:
        for width, scheme in ((380, "dark"), (900, "light"), (1400, "dark"), (1400, "light")):
            shown.open(page, width, 900, scheme)
            times = json.loads(shown.value("JSON.stringify(performance.getEntriesByType('navigation')[0])"))
            print(f"{width} {scheme}: ready after {times['domContentLoadedEventEnd']:.0f} ms")
            check_found(json.loads(shown.value(PROBE)), width)
            assert not shown.complaints(), shown.complaints()
    finally:
        shown.close()
        shutil.rmtree(folder, ignore_errors=True)


def check_found(found, width):
    assert found["width"] == width and max(found["wide"]) <= 0, found
    kinds = {panel["kind"] for panel in found["panels"]}
    assert kinds == {"roofline", "ratio", "scaling", "processes", "occupancy", "bytes"}, kinds
    for panel in found["panels"]:
        assert panel["chips"] > 0 and panel["off"] == 0 and panel["on"] == 0, panel
        unit = "median" if panel["kind"] in ("occupancy", "bytes") else "GFLOP/s"
        assert unit in panel["key"] and unit in panel["pointer"] and panel["tip"] == 1, panel
    assert found["closed"] == 0 and found["lines"] == 100 and found["more"] == 200, found
    assert 0 < found["search"] < 100 and found["matches"].startswith(f"{found['search']} of "), found
    assert found["paper"] != found["other"], found


def make(file):
    """Results of three machines, the same each time."""
    def device(name, backend, **more):
        return {"name": name, "backend": backend, **more, "ceilings": {
            "fp32_gflops": 60e3, "fp64_gflops": 30e3, "bandwidth_gbs": 4000, "launch_us": 4,
            "matrix_gflops": [{"name": "bf16", "rate": 8e5}, {"name": "fp64", "rate": 6.5e4}, {"name": "bf16 by mma.sync", "rate": 6e5}],
            "levels_gbs": [{"name": "L2", "rate": 9000}, {"name": "shared memory", "rate": 33000}]}}

    def row(dev, path, kernel, math, m, seconds, **more):
        size = 2 if math == "bf16" else 8
        flop, moved = 2.0 * m**3, 3.0 * size * m * m
        return {"device": dev["name"], "backend": dev["backend"], "path": path, "kernel": kernel, "tile": "64x64x16", "dtype": math,
                "math": math, "m": m, "n": m, "k": m, "batch": 1, "layout": "rrr" if m % 3 else "crc", "aligned": m % 8 == 0,
                "alpha": 1.0, "beta": 0.0, "seed": 1, "status": "ok", "error": {"ratio": 0.1, "rows_checked": m},
                "seconds": {"median": seconds, "min": 0.97 * seconds, "max": 1.1 * seconds, "count": 7, "low": 0.98 * seconds,
                            "high": 1.05 * seconds},
                "gflops": 1e-9 * flop / seconds, "intensity": flop / moved, **more}

    gpu, cpu = device("NVIDIA H200", "cuda", memory_gib=140), device("AMD EPYC", "openmp", family=25, model=1, threads=1, ranks=2)
    results = []
    for i in range(665):
        m, math, dev = 64 + 8 * i + i % 5, ("bf16", "fp64")[i % 2], (gpu, cpu)[i % 7 == 0]
        if i == 0:
            m = 512
        best = 2e-9 * m**3 / ((6e5 if math == "bf16" else 4e4) * min(1, m / 3000)) + 5e-6
        kernel, ratio = ("warpgroup", "tensor_core", "stream_k")[i % 3], 0.7 + 0.6 * (i * 37 % 100) / 100
        vendor = row(dev, "vendor", "cublas", math, m, best)
        bytes_once = 3.0 * (2 if math == "bf16" else 8) * m * m
        counters = [{"tag": "dram_bytes", "value": 1.2 * bytes_once, "unit": "B"}, {"tag": "l2_bytes", "value": 3 * bytes_once, "unit": "B"},
                    {"tag": "shared_bytes", "value": 20 * bytes_once, "unit": "B"}, {"tag": "occupancy", "value": 12.5 + i % 40, "unit": "%"}]
        own = row(dev, "native", kernel, math, m, best / ratio, automatic=True, vendor_ratio=ratio, counters=counters if i % 4 == 0 else [])
        other = row(dev, "portable", kernel, math, m, 1.1 * best / ratio, automatic=True, vendor_ratio=ratio / 1.1)
        if i % 50 == 3:
            for key in ("seconds", "gflops", "intensity"):
                del vendor[key]
            vendor.update(status="failed", reason="wrong result <b>(row 2)</b>")
            del own["vendor_ratio"], other["vendor_ratio"]
        results += [own, other, vendor]
    for r in results:
        if r["device"] == cpu["name"]:
            r["shared"] = {"ranks": 2, "grid": "1x2", "block": "64x64"}
    host = {"date": "2026-11-21T06:00:00Z", "rooftile": "1.2.3", "compiler": "GNU 1", "threads": 1}
    file.write_text(json.dumps({"schema": 3, "host": host, "devices": [gpu, cpu], "results": results}), encoding="utf-8")


if __name__ == "__main__":
    {"page": check_page, "browser": check_browser, "make": make}[sys.argv[1]](pathlib.Path(sys.argv[2]))
