#!/usr/bin/env python3
"""Checks the sources against tools/layers.txt and the house rules on files.

  tools/check_layers.py               checks the repository; names file, line and rule; exits 1 on a violation
  tools/check_layers.py --root DIR    the same for another tree
  tools/check_layers.py --self-test   proves on made-up trees that each kind of violation is caught

In src/stance/LAYER, and in include/stance, which is the layer `api`: included layers, library headers, reserved words, full include paths, .h and .cc.
In src, tests, bench and examples: `#pragma once` in headers, files of more than 500 lines.
Folders called `generated` are passed over.
"""

import argparse
import pathlib
import re
import sys
import tempfile

MAX_LINES = 500
LONG_REASON = "Long because"  # in the first comment of a file above MAX_LINES
MIN_REASON = 20  # characters after LONG_REASON: a reason, not a wave of the hand
SOURCE_FOLDERS = ("include", "src", "tests", "bench", "examples")
CPP_ENDINGS = {".h", ".cc", ".c", ".hpp", ".hh", ".hxx", ".cpp", ".cxx", ".inl", ".ipp"}
OUR_ENDINGS = {".h", ".cc"}
TABLE = "tools/layers.txt"
API = "api"  # the layer of include/stance


class TableError(Exception):
    """The table itself is wrong."""


class Table:
    """tools/layers.txt: layers {layer: allowed}, headers [(pattern, allowed)], words [(word, allowed)]."""

    def __init__(self, text):
        self.layers, self.headers, self.words = {}, [], []
        section = None
        for number, raw in enumerate(text.splitlines(), 1):
            line = raw.split("#")[0].strip()
            if not line:
                continue
            if line.startswith("["):
                section = line.strip("[]")
                if section not in ("layers", "headers", "words"):
                    raise TableError(f"{TABLE}:{number}: unknown section [{section}]")
                continue
            keys, colon, values = line.partition(":")
            if not colon or section is None:
                raise TableError(f"{TABLE}:{number}: expected 'NAME: LAYER...' below a [section]")
            allowed = [] if values.split() == ["-"] else values.split()
            for key in keys.split():
                self._add(section, key, allowed, number)
        if not self.layers:
            raise TableError(f"{TABLE}: no [layers]")

    def _add(self, section, key, allowed, number):
        for layer in allowed:
            if layer not in self.layers:
                where = "before it" if section == "layers" else "in [layers]"
                raise TableError(f"{TABLE}:{number}: '{key}' names '{layer}', which is not written {where}")
        if section == "layers":
            if key in self.layers:
                raise TableError(f"{TABLE}:{number}: layer '{key}' is written twice")
            self.layers[key] = set(allowed)
        else:
            (self.headers if section == "headers" else self.words).append((key, set(allowed)))

    def allowed_for_header(self, header):
        """The layers that may include <header>, or None when it is free."""
        for pattern, allowed in self.headers:
            if pattern.endswith("*") and header.startswith(pattern[:-1]):
                return allowed
            if pattern.endswith("/") and header.startswith(pattern):
                return allowed
            if header == pattern:
                return allowed
        return None


# Comments, raw strings, strings and characters, in the order in which C++ would see them. The digit
# before a quote keeps 1'000'000 from opening a character.
TOKEN = re.compile(
    r"//(?:\\\n|[^\n])*"
    r"|/\*.*?\*/"
    r'|R"(?P<tag>[^()\s\\]{0,16})\(.*?\)(?P=tag)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*'",
    re.DOTALL,
)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:<(?P<system>[^>\n]+)>|"(?P<own>[^"\n]+)")', re.MULTILINE)
PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+once\b", re.MULTILINE)


def blank(text, keep_strings):
    """The text with comments, raw strings and characters turned to spaces, and plain strings too unless
    kept (an include's path is one). Lines stay where they are."""

    def replace(match):
        token = match.group()
        if keep_strings and token.startswith('"'):
            return token
        return re.sub(r"[^\n]", " ", token)

    return TOKEN.sub(replace, text)


def find_first_comment(text):
    """The comment that opens a file: one block, or the run of // lines."""
    match = re.match(r"\s*(?:/\*.*?\*/|(?:[ \t]*//[^\n]*\n?)+)", text, re.DOTALL)
    return match.group() if match else ""


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def name_layers(allowed):
    return ", ".join(sorted(allowed)) if allowed else "no layer"


def check_file_rules(path, text):
    """Rules for every C++ file: yields (line, message)."""
    if path.suffix == ".h" and not PRAGMA.search(blank(text, keep_strings=False)):
        yield 1, "a header needs `#pragma once`"
    lines = text.count("\n") + (not text.endswith("\n") and text != "")
    if lines > MAX_LINES:
        reason = re.sub(r"\s*\n\s*(//|\*)?\s*", " ", find_first_comment(text)).partition(LONG_REASON)[2]
        if len(reason.strip(" :./*")) < MIN_REASON:
            yield 1, (f"{lines} lines, more than {MAX_LINES}: split it, or say why in the first comment"
                      f" ('{LONG_REASON} ...')")


def check_layer_rules(table, layer, path, text):
    """Rules for a file of src/stance/LAYER: yields (line, message)."""
    if path.suffix not in OUR_ENDINGS:
        yield 1, f"sources end in .h or .cc, not {path.suffix}"
    allowed_layers = table.layers[layer]

    code = blank(text, keep_strings=True)
    for match in INCLUDE.finditer(code):
        line, own, system = line_of(code, match.start()), match.group("own"), match.group("system")
        target = own or system
        parts = target.split("/")
        if layer == API and parts[0] == "stance" and len(parts) == 2 and own:
            continue  # another one of the same folder
        if parts[0] == "stance" and len(parts) > 2 and ".." not in parts:
            if system:
                yield line, f'write #include "{target}", with quotes'
            if parts[1] not in table.layers:
                yield line, f"'{target}': there is no layer '{parts[1]}' in {TABLE}"
            elif parts[1] != layer and parts[1] not in allowed_layers:
                yield line, (f"'{layer}' may not include '{parts[1]}' ({target}); "
                             f"{TABLE} allows it: {name_layers(allowed_layers)}")
        elif own:
            yield line, f'"{own}": include our headers by their full path, "stance/LAYER/NAME.h", and others with <>'
        else:
            allowed = table.allowed_for_header(system)
            if allowed is not None and layer not in allowed:
                yield line, f"'{layer}' may not include <{system}>; {TABLE} allows it in: {name_layers(allowed)}"

    bare = INCLUDE.sub(lambda m: " " * len(m.group()), blank(text, keep_strings=False))
    for word, allowed in table.words:
        if layer not in allowed:
            for match in re.finditer(rf"\b{re.escape(word)}\b", bare):
                yield line_of(bare, match.start()), (
                    f"'{layer}' may not use '{word}'; {TABLE} allows it in: {name_layers(allowed)}")


def check_tree(root, table):
    """Returns (violations as 'file:line: message', number of files)."""
    violations, count = [], 0
    for folder in SOURCE_FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in CPP_ENDINGS or "generated" in path.parts or not path.is_file():
                continue
            count += 1
            name = path.relative_to(root)
            text = path.read_text(encoding="utf-8", errors="replace")
            found = list(check_file_rules(path, text))
            if name.parts[:2] == ("include", "stance") and API in table.layers:
                found += check_layer_rules(table, API, path, text)
            if name.parts[:2] == ("src", "stance"):
                layer = name.parts[2]
                if len(name.parts) < 4 or layer not in table.layers:
                    found.append((1, f"lies in no layer of {TABLE}"))
                else:
                    found += check_layer_rules(table, layer, path, text)
            violations += [f"{name}:{line}: {message}" for line, message in sorted(found)]
    return violations, count


# ---- self-test ----

GOOD = {
    "src/stance/kernel/pose.h": "// Poses.\n#pragma once\n#include <Eigen/Core>\n#include <chrono>\n",
    "src/stance/kernel/pose.cc": '#include "stance/kernel/pose.h"\nint million = 1\'000\'000;  // argv, here a comment\n',
    "src/stance/dynamics/aba.cc": '#include "stance/model/model.h"\nconst char* s = "argv #include <thread>";\n'
                                  '/*\n#include "stance/cli/main.h"\n*/\n// #include <mujoco/mujoco.h>\n'
                                  'auto r = R"(\n#include <assimp/scene.h> "\n)";\n',
    "src/stance/io/urdf.cc": "#include <urdf_parser/urdf_parser.h>\n#include <tinyxml2.h>\n",
    "src/stance/cli/main.cc": '#include <CLI/CLI.hpp>\n#include "stance/codegen/emit.h"\nint main(int argc, char** argv);\n',
    "src/stance/solver/long.cc": "// Cones.\n// Long because the cases of one\n// proof belong side by side.\n" + "\n" * 900,
    "src/stance/codegen/generated/huge.h": "\n" * 900,
    "tests/kernel/pose_test.cc": "#include <gtest/gtest.h>\n#include <mujoco/mujoco.h>\n",
}
# file, text, the line and a part of the message that must come of it
BAD = [
    ("src/stance/kernel/a.cc", '\n#include "stance/model/model.h"\n', 2, "'kernel' may not include 'model'"),
    ("src/stance/collision/a.cc", '#include "stance/dynamics/aba.h"\n', 1, "may not include 'dynamics'"),
    ("src/stance/sim/a.cc", '// x\n\n  #  include   "stance/codegen/emit.h"\n', 3, "may not include 'codegen'"),
    ("src/stance/model/a.cc", '#include "stance/nowhere/x.h"\n', 1, "no layer 'nowhere'"),
    ("src/stance/model/b.cc", '#include "model.h"\n', 1, "full path"),
    ("src/stance/model/c.cc", '#include "../cli/main.h"\n', 1, "full path"),
    ("src/stance/model/d.cc", "#include <stance/kernel/pose.h>\n", 1, "with quotes"),
    ("src/stance/model/e.cc", "/* a\n b */ #include <urdf_parser/urdf_parser.h>\n", 2, "<urdf_parser/urdf_parser.h>"),
    ("src/stance/sim/b.cc", "#include <vector>\n#include <sys/socket.h>\n", 2, "allows it in: haptics"),
    ("src/stance/dynamics/a.cc", "#include <hdf5_hl.h>\n", 1, "allows it in: io"),
    ("src/stance/dynamics/b.cc", "#include <spdlog/spdlog.h>\n", 1, "allows it in: no layer"),
    ("src/stance/io/a.cc", "#include <CLI/CLI.hpp>\n", 1, "allows it in: cli"),
    ("src/stance/solver/a.cc", "#include <random>\n", 1, "allows it in: no layer"),
    ("src/stance/cli/a.cc", "#include <mujoco/mujoco.h>\n", 1, "no layer"),
    ("src/stance/io/b.cc", "\n\nint f(char** argv);\n", 3, "may not use 'argv'"),
    ("src/stance/io/c.cpp", "int x;\n", 1, ".h or .cc"),
    ("src/stance/loose.h", "#pragma once\n", 1, "lies in no layer"),
    ("src/stance/kernel/b.h", "/*\n#pragma once\n*/\nint x;\n", 1, "#pragma once"),
    ("tests/kernel/util.h", "int x;\n", 1, "#pragma once"),
    ("bench/kernel/long.cc", "int x;\n" * 801, 1, "801 lines"),
    ("src/stance/solver/b.cc", "// Long because: yes.\n" + "int x;\n" * 801, 1, "802 lines"),
]
BAD_TABLES = [
    ("[layers]\na: b\nb:\n", "'a' names 'b'"),
    ("[layers]\na:\na:\n", "twice"),
    ("[layers]\na:\n[headers]\nx.h: c\n", "'x.h' names 'c'"),
    ("[nonsense]\n", "unknown section"),
    ("kernel\n", "expected"),
    ("", "no [layers]"),
]


def check_made_up(files, table):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return check_tree(pathlib.Path(folder), table)


def self_test(table):
    failures = []
    violations, count = check_made_up(GOOD, table)
    if violations or count != len(GOOD) - 1:
        failures.append(f"good files: {count} seen, complaints: {violations}")
    for name, text, line, part in BAD:
        violations, _ = check_made_up({**GOOD, name: text}, table)
        if len(violations) != 1 or not violations[0].startswith(f"{name}:{line}: ") or part not in violations[0]:
            failures.append(f"{name}: expected line {line} and '{part}', got {violations}")
    for text, part in BAD_TABLES:
        try:
            Table(text)
            failures.append(f"table {text!r} was accepted")
        except TableError as error:
            if part not in str(error):
                failures.append(f"table {text!r}: expected '{part}', got '{error}'")
    for failure in failures:
        print(f"self-test: {failure}", file=sys.stderr)
    if not failures:
        print(f"self-test: {len(BAD)} violations and {len(BAD_TABLES)} bad tables caught, good files let through")
    return 1 if failures else 0


def main():
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=here.parent, help="top of the tree to check")
    parser.add_argument("--self-test", action="store_true", help="check the checker")
    arguments = parser.parse_args()
    try:
        table = Table((here / "layers.txt").read_text(encoding="utf-8"))
    except TableError as error:
        print(error, file=sys.stderr)
        return 1
    if arguments.self_test:
        return self_test(table)
    violations, count = check_tree(arguments.root, table)
    if not count:
        print(f"no sources found in {', '.join(SOURCE_FOLDERS)}", file=sys.stderr)
        return 1
    for violation in violations:
        print(violation, file=sys.stderr)
    print(f"{count} files, {len(violations)} violations")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
