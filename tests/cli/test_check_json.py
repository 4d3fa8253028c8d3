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


class CheckJson(unittest.TestCase):
    def setUp(self):
        self.schema = load(schema_path)
        self.good = load(path)

    def result(self, document, status="ok"):
        return next(r for r in document["results"] if r["status"] == status)

    def assertFault(self, change, text):
        document = copy.deepcopy(self.good)
        change(document)
        found = list(faults(document, self.schema, self.schema))
        self.assertTrue([f for f in found if text in f], f"{text!r} is not among {found}")

    def test_good(self):
        self.assertEqual(list(faults(self.good, self.schema, self.schema)), [])

    def test_every_status_is_in_the_file(self):
        self.assertEqual({r["status"] for r in self.good["results"]}, {"ok", "unsupported", "failed"})

    def test_missing(self):
        self.assertFault(lambda d: d.pop("host"), "no host")
        self.assertFault(lambda d: self.result(d).pop("seconds"), "no seconds")
        self.assertFault(lambda d: self.result(d)["seconds"].pop("max"), "no max")
        self.assertFault(lambda d: self.result(d, "unsupported").pop("reason"), "no reason")
        self.assertFault(lambda d: self.result(d, "failed").pop("error"), "no error")

    def test_added(self):
        self.assertFault(lambda d: self.result(d).update(flops=1), "flops is not in the schema")
        self.assertFault(lambda d: self.result(d)["metrics"][0].update(error=1), "error is not in the schema")

    def test_samples(self):
        for result in self.good["results"]:
            if result["status"] == "ok":
                samples = result["seconds"]["samples"]
                self.assertEqual([min(samples), max(samples), len(samples)],
                                 [result["seconds"][name] for name in ("min", "max", "count")])
        self.assertFault(lambda d: self.result(d)["seconds"]["samples"].append("1"), "'1' is no number")

    def test_type(self):
        self.assertFault(lambda d: self.result(d).update(m="8"), "'8' is no integer")
        self.assertFault(lambda d: self.result(d).update(m=8.5), "8.5 is no integer")
        self.assertFault(lambda d: self.result(d).update(gflops=None), "None is no number")
        self.assertFault(lambda d: self.result(d).update(gflops=True), "True is no number")
        self.assertFault(lambda d: self.result(d).update(aligned=1), "1 is no boolean")

    def test_value(self):
        self.assertFault(lambda d: d.update(schema=2), "2 is not 3")
        self.assertFault(lambda d: d.update(results=[]), "fewer than 1")
        self.assertFault(lambda d: self.result(d).update(m=-1), "-1 is less than 0")
        self.assertFault(lambda d: self.result(d).update(path="fast"), "'fast' is none of")
        self.assertFault(lambda d: self.result(d).update(math="fp8"), "'fp8' is none of")
        self.assertFault(lambda d: self.result(d).update(layout="rr"), "does not match")
        self.assertFault(lambda d: d["devices"][0]["ceilings"].update(bandwidth_gbs=0), "is not more than 0")

    def test_family_and_model(self):
        def family_alone(document):
            document["devices"][0].update(family=25)
            document["devices"][0].pop("model", None)

        self.assertFault(family_alone, "no model")
        self.assertFault(lambda d: d["devices"][0].update(family=0, model=1), "0 is less than 1")
        self.assertFault(lambda d: d["devices"][0].update(memory_gib=0), "0 is less than 1")

    def test_rate_where_nothing_is_multiplied(self):
        for change in ({"alpha": 0}, {"alpha": 0.0}, {"m": 0}, {"n": 0}, {"k": 0}):
            self.assertFault(lambda d: self.result(d).update(change), "must not be: {'required': ['gflops']}")
        good = copy.deepcopy(self.good)
        nothing = self.result(good)
        nothing["alpha"] = 0
        for rate in ("gflops", "intensity", "bound", "roofline_fraction"):
            nothing.pop(rate)
        self.assertEqual(list(faults(good, self.schema, self.schema)), [])

    def test_rate_that_is_missing(self):
        self.assertFault(lambda d: self.result(d).pop("gflops"), "no gflops")
        self.assertFault(lambda d: self.result(d).pop("alpha"), "no alpha")
        self.assertFault(lambda d: self.result(d).pop("device"), "no device")

    def test_keyword_that_is_not_known(self):
        with self.assertRaises(ValueError):
            list(faults({}, {"maxProperties": 0}, {}))

    def test_not_a_number(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "nan.json")
            with open(file, "w", encoding="utf-8") as out:
                json.dump({"schema": float("nan")}, out)
            with self.assertRaises(ValueError):
                load(file)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
