#!/usr/bin/env python3
"""Proves on made-up headers that tools/doxygen_filter.py handles each kind of comment and declaration."""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from doxygen_filter import API, convert, list_headers  # noqa: E402 (found by the line above)

# what a header has behind `namespace stance::run {`, and what Doxygen must see there
CASES = [
    ("// Steps it.\nvoid step();\n", "/// %Steps it.\nvoid step();\n"),
    ("// Apart from what follows.\n\nvoid step();\n", None),
    ("class Later;  // later.h\nusing sim::State;  // the state\n", None),
    ("// Of two.\nvoid read(int a,  // first\n          int b);\n", "/// %Of two.\nvoid read(int a,  // first\n          int b);\n"),
    ("// Both.\nint f(int a = {});\nint f(double b);\n", "/// %Both.\nint f(int a = {});\n/** %Both. */ int f(double b);\n"),
    ("// One.\nvoid open();\nvoid close();\n", "/// %One.\nvoid open();\n/** See open(). */ void close();\n"),
    ("inline int f() {\n  // inside\n  return 1;  // one\n}\n", None),
    ("// A law.\nenum Law {\n  kA,  // a <= b\n  kB,  // @b #c\n       // and on\n};\n",
     "/// A law.\nenum Law {\n  kA,  ///< a &lt;= b\n  kB,  ///< \\@b \\#c\n       ///< and on\n};\n"),
    ("// A.\nstruct A {\n  double r = 0, l = 0;  // m\n  int n{};  // of *_foot, p_WB\n};  // A\n",
     "/// A.\nstruct A {\n  double r = 0; /**< m */ double l = 0; /**< m */\n  int n{};  ///< of \\*\\_foot, p_WB\n};  // A\n"),
    ("// A.\nclass A {\n public:\n  // ---- the loop\n  void f();\n  // ---- by hand\n  void g();\n private:\n  int h_;\n};\n",
     "/// A.\nclass A {\n public:\n/** @name The loop */ /**@{*/\n  void f();\n/**@}*/ /** @name By hand */ /**@{*/\n  void g();\n"
     "/**@}*/ private:\n  int h_;\n};\n"),
    ("// With |u| and W_ij\n// - a[i](x)\nint f();\n", "/// %With |u| and W_ij\n/// &zwnj;- a[i]&zwnj;(x)\nint f();\n"),
    ("// \"<a>\", `<b>`\nint f();\n", "/// &quot;&lt;a&gt;&quot;, `<b>`\nint f();\n"),
    ("// ---- vectors ------\nint x;\n", "\nint x;\n"),
    ("// So:\n//\n//   f(<a>);\n//\n// Done (A8).\nvoid f();\n",
     "/// %So:\n/// @code{.cpp}\n/// f(<a>);\n/// @endcode\n/// %Done.\nvoid f();\n"),
    ("// Wide.\nstruct A {\n  int a;\n};\nA make_a();\n", "/// %Wide.\nstruct A {\n  int a;\n};\n/** See A. */ A make_a();\n"),
    ("// A string.\nconst char* f(const char* s = \"{ // }\");  // \\n and <b>\n",
     "/// A string.\nconst char* f(const char* s = \"{ // }\");  ///< \\\\n and &lt;b&gt;\n"),
    ("// C.\nstruct C {\n  virtual void f(int /*memory*/) {}\n};\n", "/// C.\nstruct C {\n  virtual void f(int memory) {}\n};\n"),
    ("struct Bare {\n};\n", '/** @details See @ref stance/run/x.h "stance/run/x.h". */ struct Bare {\n};\n'),
    ("struct X {\n};\n", "/** %About x. */ struct X {\n};\n"),
    ("// Yours.\nstruct Shown {\n};\n",
     '/// %Yours. <p>For programs: `stance::Shown`, by @ref stance/x.h "stance/x.h".</p> @headerfile stance/x.h "stance/x.h"\n'
     "struct Shown {\n};\n"),
]
BEFORE = "#pragma once\n\n// About x.\n\nnamespace stance::run {\n"
SHOWN_BEFORE = "#pragma once\n/// @file\n/// %About x.\n\nnamespace stance::run {\n"
AFTER = "\n}  // namespace stance::run\n"
PUBLIC = '#pragma once\n\n// For programs.\n\n#include "stance/run/x.h"\n\n' \
         'namespace stance {\n\n// Mine.\nusing run::Shown;\n\n}  // namespace stance\n'


def main():
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        inner, outer = root / "src/stance/run/x.h", root / API / "x.h"
        for path in (inner, outer):
            path.parent.mkdir(parents=True)
        outer.write_text(PUBLIC, encoding="utf-8")
        for given, expected in CASES:
            inner.write_text(BEFORE + given + AFTER, encoding="utf-8")
            got, wanted = convert(root, inner), SHOWN_BEFORE + (given if expected is None else expected) + AFTER
            if got != wanted:
                failures.append(f"expected\n{wanted}\ngot\n{got}")
        inner.write_text(BEFORE + "struct Shown {\n};\n" + AFTER, encoding="utf-8")
        table = convert(root, outer).split("\n")[3]
        if not table.startswith("/// <p>") or '@ref stance::run::Shown "Shown"' not in table or "Mine." not in table:
            failures.append(f"the table of a public header: {table}")
        if list_headers(root) != [outer, inner]:
            failures.append(f"the headers of the reference: {list_headers(root)}")
    for failure in failures:
        print(f"{failure}", file=sys.stderr)
    if not failures:
        print(f"{len(CASES)} kinds of comments and declarations as they should be")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
