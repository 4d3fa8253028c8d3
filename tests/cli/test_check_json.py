# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
"""check_json.py must see what is wrong: test_check_json.py SCHEMA FILE, on a good file with one thing off each."""
import copy
import json
import os
import sys
import tempfile
import unittest

from check_json import faults, load

schema_path, path = sys.argv[1:]


def result(document, status="ok"):
    return next(r for r in document["results"] if r["status"] == status)


def device(document, **values):
    document["devices"][0].pop("model", None)
    document["devices"][0].update(values)


# Each change of the valid file, and the message that reports it.
FAULTS = [
    (lambda d: d.pop("host"), "no host"),
    (lambda d: result(d).pop("seconds"), "no seconds"),
    (lambda d: result(d)["seconds"].pop("max"), "no max"),
    (lambda d: result(d, "unsupported").pop("reason"), "no reason"),
    (lambda d: result(d, "failed").pop("error"), "no error"),
    (lambda d: result(d).pop("gflops"), "no gflops"),
    (lambda d: result(d).pop("alpha"), "no alpha"),
    (lambda d: result(d).pop("device"), "no device"),
    (lambda d: result(d).update(flops=1), "flops is not in the schema"),
    (lambda d: result(d)["metrics"][0].update(error=1), "error is not in the schema"),
    (lambda d: result(d)["seconds"]["samples"].append("1"), "'1' is no number"),
    (lambda d: result(d).update(m="8"), "'8' is no integer"),
    (lambda d: result(d).update(m=8.5), "8.5 is no integer"),
    (lambda d: result(d).update(gflops=None), "None is no number"),
    (lambda d: result(d).update(gflops=True), "True is no number"),
    (lambda d: result(d).update(aligned=1), "1 is no boolean"),
    (lambda d: d.update(schema=2), "2 is not 3"),
    (lambda d: d.update(results=[]), "fewer than 1"),
    (lambda d: result(d).update(m=-1), "-1 is less than 0"),
    (lambda d: result(d).update(path="fast"), "'fast' is none of"),
    (lambda d: result(d).update(layout="rr"), "does not match"),
    (lambda d: d["devices"][0]["ceilings"].update(bandwidth_gbs=0), "is not more than 0"),
    (lambda d: device(d, family=25), "no model"),
    (lambda d: device(d, family=0, model=1), "0 is less than 1"),
    (lambda d: device(d, memory_gib=0), "0 is less than 1"),
    *((lambda d, change=change: result(d).update(change), "must not be: {'required': ['gflops']}")
      for change in ({"alpha": 0}, {"alpha": 0.0}, {"m": 0}, {"n": 0}, {"k": 0})),
]


class CheckJson(unittest.TestCase):
    def setUp(self):
        self.schema = load(schema_path)
        self.good = load(path)

    def faults_after(self, change):
        document = copy.deepcopy(self.good)
        change(document)
        return list(faults(document, self.schema, self.schema))

    def test_good_file_has_no_fault(self):
        self.assertEqual(self.faults_after(lambda d: None), [])
        self.assertEqual({r["status"] for r in self.good["results"]}, {"ok", "unsupported", "failed"})
        for r in self.good["results"]:
            if r["status"] == "ok":
                samples = r["seconds"]["samples"]
                self.assertEqual([min(samples), max(samples), len(samples)],
                                 [r["seconds"][name] for name in ("min", "max", "count")])

    def test_every_fault_is_found(self):
        for number, (change, text) in enumerate(FAULTS):
            with self.subTest(number=number, text=text):
                found = self.faults_after(change)
                self.assertTrue([f for f in found if text in f], found)

    def test_no_rate_where_nothing_is_multiplied(self):
        def without_rate(document):
            nothing = result(document)
            nothing["alpha"] = 0
            for rate in ("gflops", "intensity", "bound", "roofline_fraction"):
                nothing.pop(rate)

        self.assertEqual(self.faults_after(without_rate), [])

    def test_unknown_keyword_of_a_schema(self):
        with self.assertRaises(ValueError):
            list(faults({}, {"maxProperties": 0}, {}))

    def test_nan_is_not_json(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "nan.json")
            with open(file, "w", encoding="utf-8") as out:
                json.dump({"schema": float("nan")}, out)
            with self.assertRaises(ValueError):
                load(file)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
