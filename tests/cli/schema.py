# SPDX-License-Identifier: GPL-2.0-or-later
"""JSON Schema, as much of it as userspace/cli/json.schema.json uses; a keyword that is not known here is an error."""
import re
import sys

# Trees of what the whole system ran can be deep: some frames of Python for each of the stack.
sys.setrecursionlimit(50000)
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
SILENT = {"$comment", "$schema", "$defs", "title", "description"}


def is_type(value, name):
    if name in ("integer", "number"):
        return isinstance(value, int if name == "integer" else (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def members(root, value, schema, where):
    """Stricter than the schema: a key that it does not describe is an error, for the program must not print one."""
    known, rest = schema.get("properties", {}), schema.get("additionalProperties", False)
    for key in schema.get("required", []):
        if key not in value:
            yield f"{where}: no {key}"
    for key, member in value.items():
        if key in known:
            yield from errors(root, member, known[key], f"{where}.{key}")
        elif rest is False:
            yield f"{where}: {key} is not in the schema"
        else:
            yield from errors(root, member, rest, f"{where}.{key}")


def errors(root, value, schema, where="$"):
    """What is wrong with @value by @schema, a part of @root: sentences."""
    for keyword, wanted in schema.items():
        if keyword == "$ref":
            yield from errors(root, value, root["$defs"][wanted.removeprefix("#/$defs/")], where)
        elif keyword == "anyOf":
            if all(any(errors(root, value, one, where)) for one in wanted):
                yield f"{where} is none of {wanted}"
        elif keyword == "enum":
            if value not in wanted:
                yield f"{where} is {value!r}, none of {wanted}"
        elif keyword == "type":
            if not any(is_type(value, name) for name in ([wanted] if isinstance(wanted, str) else wanted)):
                yield f"{where} is {value!r}, no {wanted}"
        elif keyword == "const":
            if value != wanted:
                yield f"{where} is {value!r}, not {wanted!r}"
        elif keyword in ("minimum", "maximum"):
            if is_type(value, "number") and (value < wanted if keyword == "minimum" else value > wanted):
                yield f"{where} is {value}, beyond the {keyword} {wanted}"
        elif keyword == "pattern":
            if isinstance(value, str) and not re.search(wanted, value):
                yield f"{where} is {value!r}, not as {wanted}"
        elif keyword == "items":
            for i, item in enumerate(value if isinstance(value, list) else []):
                yield from errors(root, item, wanted, f"{where}[{i}]")
        elif keyword == "properties":
            if isinstance(value, dict):
                yield from members(root, value, schema, where)
        elif keyword == "additionalProperties":
            if isinstance(value, dict) and "properties" not in schema:
                yield from members(root, value, schema, where)
        elif keyword not in SILENT | {"required"}:
            yield f"the schema has a keyword {keyword}, which this test does not know"
