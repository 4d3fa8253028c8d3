# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a page of `rooftile report` is well-formed, small, and needs nothing beside it:
check_report.py page PAGE; and whether a browser has no complaint and its chart answers pointer and keys:
check_report.py browser PAGE."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

LARGEST = 3_000_000
# Goes to every mark once by its key, then to the middle of the first one with the pointer, and writes down what was said.
PROBE = """<script>//<![CDATA[
window.errors = [];
window.addEventListener('error', event => window.errors.push(event.message));
window.addEventListener('load', () => {
  const canvas = document.getElementById('chart'), said = document.getElementById('record');
  const chart = Chart.getChart(canvas), found = {};
  canvas.focus();
  canvas.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}));
  found.key = said.textContent;
  said.textContent = '';
  const at = chart.getDatasetMeta(0).data[0].getProps(['x', 'y']), box = canvas.getBoundingClientRect();
  canvas.dispatchEvent(new MouseEvent('mousemove', {clientX: box.left + at.x, clientY: box.top + at.y, bubbles: true}));
  setTimeout(() => {
    found.pointer = said.textContent;
    found.tip = chart.tooltip.opacity;
    const marks = () => chart.data.datasets.reduce((n, s) => n + (s.ceiling ? 0 : s.data.length), 0);
    found.all = marks();
    document.querySelector('#toggles input').click();
    found.left = marks();
    for (const name of ['size', 'processes', 'intensity']) {
      document.getElementById('x-axis').value = name;
      document.getElementById('x-axis').dispatchEvent(new Event('change'));
    }
    found.wide = document.documentElement.scrollWidth - window.innerWidth;
    found.errors = window.errors;
    document.body.setAttribute('data-found', JSON.stringify(found));
  }, 300);
});
//]]></script>"""


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
    if "id=\"explore\"" in text:
        assert "MIT License" in text or "Permission is hereby granted" in text, "no licence"


def check_browser(page):
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None or "id=\"explore\"" not in page.read_text(encoding="utf-8"):
        print("skipped: no Chromium, or no Chart.js in the build")
        return
    import json
    for options in (["--window-size=1200,900"], ["--window-size=500,800", "--blink-settings=preferredColorScheme=0"]):
        with tempfile.TemporaryDirectory() as folder:
            probed = pathlib.Path(folder) / "page.html"
            text = page.read_text(encoding="utf-8")
            probed.write_text(text.replace("</body>", PROBE + "</body>"), encoding="utf-8")
            ran = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile",
                                  "--enable-logging=stderr", "--virtual-time-budget=5000", *options, "--dump-dom",
                                  probed.as_uri()], capture_output=True, text=True, timeout=280, check=False)
        console = [line for line in ran.stderr.splitlines() if "CONSOLE" in line]
        assert not console, console
        match = re.search(r'data-found="([^"]*)"', ran.stdout)
        assert match, ran.stderr[-2000:]
        found = json.loads(match[1].replace("&quot;", "\"").replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">"))
        assert not found["errors"], found
        assert "GFLOP/s" in found["key"] and "samples" in found["key"], found
        assert "GFLOP/s" in found["pointer"] and found["tip"] == 1, found
        assert 0 < found["left"] < found["all"], found
        assert found["wide"] <= 0, found


if __name__ == "__main__":
    {"page": check_page, "browser": check_browser}[sys.argv[1]](pathlib.Path(sys.argv[2]))
