#!/usr/bin/env python3
"""Checks that sources include what they use of the precompiled headers.

  tools/check_includes.py               checks src and include; names file, line and header; exits 1 on a finding
  tools/check_includes.py --fix         adds what is missing
  tools/check_includes.py --self-test   proves on made-up files that a missing header is found

Precompiled headers hide a forgotten #include from both compilers of ./test; a program that is built
without them, or a user who includes one of our headers, would find it. A name counts as included when
its header stands in the file, or in one of our own headers that the file includes, all the way down.
"""

import argparse
import pathlib
import re
import sys
import tempfile

# What cmake/stance_flags.cmake precompiles, and names that come from there alone. Names that several
# headers bring (size_t, swap, move) are left out: they come along with the others.
NAMES = {
    "algorithm": r"std::(?:sort|stable_sort|find|find_if|any_of|all_of|none_of|count|count_if|fill|fill_n|copy_n|min|max|clamp|"
                 r"min_element|max_element|lower_bound|upper_bound|reverse|unique|remove_if|transform|nth_element|equal)\(",
    "array": r"std::array\b",
    "cmath": r"std::(?:sqrt|abs|sin|cos|tan|atan2|hypot|floor|ceil|round|lround|llround|exp|log|pow|isfinite|isnan|fma|copysign)\(",
    "cstdint": r"\b(?:std::)?u?int(?:8|16|32|64)_t\b",
    "functional": r"std::function\b",
    "map": r"std::map\b",
    "memory": r"std::(?:unique_ptr|shared_ptr|make_unique|make_shared|weak_ptr)\b",
    "optional": r"std::(?:optional|nullopt)\b",
    "span": r"std::span\b",
    "string": r"std::(?:string|to_string)\b",
    "string_view": r"std::string_view\b",
    "utility": r"std::(?:pair|exchange)\b",
    "vector": r"std::vector\b",
    "filesystem": r"\b(?:std::filesystem|fs)::",
    "fmt/format.h": r"\bfmt::(?:format|print)\b",
    "nlohmann/json.hpp": r"\bnlohmann::",
    "CLI/CLI.hpp": r"\bCLI::(?!App\b)|(?:->|\.)add_subcommand\(",
}
# Headers that the standard says bring another one, or that are of the same family.
BRINGS = {
    "string": {"string_view"},
    "fmt/chrono.h": {"fmt/format.h"},
    "fmt/ranges.h": {"fmt/format.h"},
    "fmt/color.h": {"fmt/format.h"},
    "cstdlib": set(),
    "filesystem": {"string", "memory"},
    "map": {"utility"},
    "vector": set(),
    "variant": set(),
    "nlohmann/json_fwd.hpp": {"nlohmann/json.hpp"},
    "CLI/App.hpp": {"CLI/CLI.hpp"},
    "stdint.h": {"cstdint"},
    "span": {"array"},
}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:<([^>\n]+)>|"([^"\n]+)")', re.MULTILINE)
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(?P<tag>[^()\s\\]{0,16})\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"', re.DOTALL)


class Tree:
    def __init__(self, root):
        self.root, self.known = root, {}

    def find(self, name):
        for folder in ("src", "include"):
            path = self.root / folder / name
            if path.is_file():
                return path
        return None

    def headers_of(self, path, seen=None):
        """All library headers that a file sees through itself and our own headers."""
        if path in self.known:
            return self.known[path]
        seen = seen or set()
        if path in seen:
            return set()
        seen.add(path)
        out = set()
        for system, own in INCLUDE.findall(path.read_text(encoding="utf-8")):
            if system:
                out |= {system} | BRINGS.get(system, set())
            elif (found := self.find(own)) is not None:
                out |= self.headers_of(found, seen)
        self.known[path] = out
        return out

    def check(self, path):
        """Yields (line, header) for what is used and not seen."""
        text = path.read_text(encoding="utf-8")
        code = NOISE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), INCLUDE.sub("", text))
        seen = self.headers_of(path)
        for header, pattern in NAMES.items():
            match = re.search(pattern, code)
            if match and header not in seen:
                yield code.count("\n", 0, match.start()) + 1, header

    def files(self):
        for folder in ("include", "src"):
            yield from sorted(p for p in (self.root / folder).rglob("*") if p.suffix in (".h", ".cc"))


def add_include(path, header):
    """Into the block of the standard's headers, in order, or one of its own."""
    lines = path.read_text(encoding="utf-8").split("\n")
    new = f"#include <{header}>"
    same = "/" in header
    block = [k for k, line in enumerate(lines)
             if (m := re.match(r"#include <([^>]+)>", line)) and ("/" in m.group(1)) == same and not m.group(1).endswith(".h") != same]
    if block:
        at = next((k for k in block if lines[k] > new), block[-1] + 1)
        lines.insert(at, new)
    else:
        first = next((k for k, line in enumerate(lines) if line.startswith("#include")), None)
        own = path.suffix == ".cc" and first is not None and lines[first].startswith('#include "stance/')
        at = first + 2 if own and lines[first + 1] == "" else first
        if at is None:
            at = next(k for k, line in enumerate(lines) if line.startswith("namespace"))
        lines[at:at] = [new, ""]
    path.write_text("\n".join(lines), encoding="utf-8")


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        layer = root / "src/stance/model"
        layer.mkdir(parents=True)
        (layer / "a.h").write_text('#pragma once\n#include <vector>\nstd::vector<int> f();\n')
        (layer / "a.cc").write_text('#include "stance/model/a.h"\nstd::vector<int> f() { return {}; }\n')
        (layer / "b.cc").write_text('#include "stance/model/a.h"\n// std::map\nstd::optional<int> g();\n')
        tree = Tree(root)
        found = {path.name: list(tree.check(path)) for path in tree.files()}
        good = found == {"a.h": [], "a.cc": [], "b.cc": [(3, "optional")]}
        print("self-test: a missing header is found, one that comes through ours is not" if good else f"self-test FAILED: {found}")
        return 0 if good else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fix", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    root = pathlib.Path(__file__).resolve().parent.parent
    tree = Tree(root)
    count = files = 0
    for path in tree.files():
        files += 1
        for line, header in list(tree.check(path)):
            count += 1
            if arguments.fix:
                add_include(path, header)
            print(f"{path.relative_to(root)}:{line}: uses names of <{header}> without including it"
                  f"{' (added)' if arguments.fix else ''}")
    print(f"{files} files, {count} headers missing")
    return 1 if count and not arguments.fix else 0


if __name__ == "__main__":
    sys.exit(main())
