#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# validate_json.py - is what a command prints as docs/schema says?
#
#       scripts/validate_json.py [--document] SCHEMA FILE
#
# Each line of FILE is an object that the schema must take. A schema takes fields that it does not name, since fields are
# added: here a field that it does not name is an error, for nobody has written it down.
#
# So that a schema which takes anything is noticed, each type's first object is spoilt, one way at a time, and must be
# refused: without a field that is required, and with a field of a type that no field has.
#
# With --document FILE is one value of a format that others have made, and so its schema names all that may be there. Each
# field is spoilt once, but for those in a "properties" there, which hold anything.
#
# Prints a line for what is wrong, and at the end the types that were seen. Status: 0 all is well; 1 not; 2 usage;
# 77 there is no jsonschema.
import json
import pathlib
import sys
import urllib.parse

try:
    import jsonschema
except ImportError:
    sys.exit(77)

SPOILT = [["of no field's type"]]  # an array of arrays


class Schema:
    def __init__(self, path):
        self.base = pathlib.Path(path).resolve().as_uri()
        with open(path, encoding="utf-8") as file:
            self.text = json.load(file)
        jsonschema.Draft202012Validator.check_schema(self.text)
        self.resolver = jsonschema.RefResolver(self.base, self.text)
        self.validator = jsonschema.Draft202012Validator(self.text, resolver=self.resolver)

    def errors(self, value):
        for error in self.validator.iter_errors(value):
            where = "/".join(str(part) for part in error.absolute_path)
            yield "%s: %s" % (where or "the object", error.message[:200])

    def parts(self, schema):
        """The schema and all that it is made of, references followed: (where references in it begin, part)."""
        base, part = schema
        if "$ref" in part:
            url, target = self.resolver.resolve(urllib.parse.urljoin(base, part["$ref"]))
            return self.parts((url, target))
        ret = [schema]
        for other in part.get("allOf", []):
            ret += self.parts((base, other))
        return ret

    def unnamed(self, value, schema, where):
        """Fields of value, and of what is in it, that the schema does not name."""
        parts = self.parts(schema)
        if isinstance(value, list):
            for base, part in parts:
                for item in value if "items" in part else []:
                    yield from self.unnamed(item, (base, part["items"]), where)
        if not isinstance(value, dict) or any("additionalProperties" in part for _, part in parts):
            return
        named = {name: (base, field) for base, part in parts for name, field in part.get("properties", {}).items()}
        for name, field in value.items():
            if name in named:
                yield from self.unnamed(field, named[name], where + "." + name)
            else:
                yield where + "." + name

    def required(self, schema):
        return {name for _, part in self.parts(schema) for name in part.get("required", [])}

    def of_type(self, name):
        return self.base, ({"$ref": "#/$defs/" + name} if name in self.text["$defs"] else {})


def spoilt(schema, value, kind):
    """What the schema takes and should not."""
    required = schema.required(schema.of_type(kind))
    for name in sorted(value):
        other = {field: value[field] for field in value if field != name}
        if name in required and not any(schema.errors(other)):
            yield "%s without %s is taken" % (kind, name)
        other[name] = SPOILT
        if not any(schema.errors(other)):
            yield "%s with a %s of no field's type is taken" % (kind, name)


def wrong(schema, line, seen):
    try:
        value = json.loads(line)
    except ValueError as error:
        yield "no JSON: %s" % error
        return
    yield from schema.errors(value)
    kind = value.get("type") if isinstance(value, dict) else None
    if not isinstance(kind, str):
        return
    for name in schema.unnamed(value, schema.of_type(kind), kind):
        yield "%s is not in the schema" % name
    if kind not in seen:
        seen.append(kind)
        yield from spoilt(schema, value, kind)


def spoilt_fields(schema, whole, value, where, seen):
    """Fields of value, which is a part of whole, that may be of no field's type."""
    if isinstance(value, list):
        for item in value:
            yield from spoilt_fields(schema, whole, item, where, seen)
    for name in value if isinstance(value, dict) else []:
        path, kept = where + "." + name, value[name]
        if path not in seen:
            seen.add(path)
            value[name] = SPOILT
            if not any(schema.errors(whole)):
                yield "%s of no field's type is taken" % path
            value[name] = kept
        if name != "properties":
            yield from spoilt_fields(schema, whole, kept, path, seen)


def check_document(schema, path):
    with open(path, encoding="utf-8") as file:
        value = json.load(file)
    wrong_there = list(schema.errors(value)) or list(spoilt_fields(schema, value, value, "", set()))
    for text in wrong_there:
        print("%s: %s" % (path, text))
    print("types: document")
    return 1 if wrong_there else 0


def main():
    if sys.argv[1:2] == ["--document"] and len(sys.argv) == 4:
        return check_document(Schema(sys.argv[2]), sys.argv[3])
    if len(sys.argv) != 3:
        sys.exit(2)
    schema, seen, failed = Schema(sys.argv[1]), [], False
    with open(sys.argv[2], encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            for text in wrong(schema, line, seen):
                failed = True
                print("%s:%d: %s" % (sys.argv[2], number, text))
    print("types:", " ".join(seen) or "none")
    return 1 if failed or not seen else 0


sys.exit(main())
