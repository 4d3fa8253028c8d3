# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
"""Checks a file against a JSON schema: check_json.py SCHEMA FILE

With the standard library alone, and therefore only what our schema uses of draft 2020-12; a keyword that is not known
here is an error, so that none goes unchecked.
"""
import json
import re
import sys

TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool,
         "null": type(None)}
SAYS_NOTHING = {"$schema", "$defs", "title", "description"}


def is_type(value, name):
    return isinstance(value, TYPES[name]) and isinstance(value, bool) == (name == "boolean")


def is_number(value):
    return is_type(value, "number")


def faults(value, schema, root, where=""):
    """What is wrong, one sentence each."""
    for keyword, wanted in schema.items():
        if keyword in SAYS_NOTHING or keyword in ("then", "else"):
            continue
        elif keyword == "$ref":
            yield from faults(value, root["$defs"][wanted.removeprefix("#/$defs/")], root, where)
        elif keyword == "type":
            names = wanted if isinstance(wanted, list) else [wanted]
            if not any(is_type(value, name) for name in names):
                yield f"{where}: {value!r} is no {' or '.join(names)}"
        elif keyword == "const":
            if value != wanted:
                yield f"{where}: {value!r} is not {wanted!r}"
        elif keyword == "enum":
            if value not in wanted:
                yield f"{where}: {value!r} is none of {wanted}"
        elif keyword == "pattern":
            if isinstance(value, str) and not re.search(wanted, value):
                yield f"{where}: {value!r} does not match {wanted}"
        elif keyword == "minimum":
            if is_number(value) and value < wanted:
                yield f"{where}: {value} is less than {wanted}"
        elif keyword == "exclusiveMinimum":
            if is_number(value) and value <= wanted:
                yield f"{where}: {value} is not more than {wanted}"
        elif keyword == "minItems":
            if isinstance(value, list) and len(value) < wanted:
                yield f"{where}: {len(value)} items, fewer than {wanted}"
        elif keyword == "items":
            if isinstance(value, list):
                for i, item in enumerate(value):
                    yield from faults(item, wanted, root, f"{where}/{i}")
        elif keyword == "required":
            yield from (f"{where}: no {name}" for name in wanted if isinstance(value, dict) and name not in value)
        elif keyword == "properties":
            for name in wanted.keys() & value.keys() if isinstance(value, dict) else ():
                yield from faults(value[name], wanted[name], root, f"{where}/{name}")
        elif keyword == "additionalProperties" and wanted is False:
            known = schema["properties"]
            yield from (f"{where}: {name} is not in the schema" for name in value if name not in known)
        elif keyword == "allOf":
            for part in wanted:
                yield from faults(value, part, root, where)
        elif keyword == "anyOf":
            if all(any(faults(value, part, root, where)) for part in wanted):
                yield f"{where}: {value!r} is none of {wanted}"
        elif keyword == "not":
            if not any(faults(value, wanted, root, where)):
                yield f"{where}: {value!r} is what it must not be: {wanted}"
        elif keyword == "if":
            holds = not any(faults(value, wanted, root, where))
            yield from faults(value, schema.get("then" if holds else "else", {}), root, where)
        else:
            raise ValueError(f"the schema's keyword {keyword} is not known to check_json.py")


def not_json(constant):
    raise ValueError(f"{constant} is no JSON")


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file, parse_constant=not_json)


def main(schema_path, path):
    schema, document = load(schema_path), load(path)
    wrong = list(faults(document, schema, schema))
    for fault in wrong:
        print(f"{path}{fault}")
    print(f"{path}: {len(wrong)} faults against {schema_path}")
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
