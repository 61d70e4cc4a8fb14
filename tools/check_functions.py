#!/usr/bin/env python3
"""Checks that functions fit on a screen: at most 80 lines, in C++ and TypeScript.

  tools/check_functions.py               checks the repository; names file, line and length; exits 1 on a finding
  tools/check_functions.py --self-test   proves on made-up files that long functions are found, and only these

Braces are counted, nothing is parsed: a function begins where its declaration does, and ends with its brace. What
stands in a function counts as a part of it. A suite of tests, `describe(...)`, is a list of functions and no
function; namespaces, classes and tables are none either. Folders called `generated` are passed over.
"""

import pathlib
import re
import sys

MAX_LINES = 80
CPP_FOLDERS, CPP_ENDINGS = ("include", "src", "tests", "bench", "examples"), {".h", ".cc"}
WEB_FOLDERS, WEB_ENDINGS = ("web/src", "web/test"), {".ts"}

CPP_TOKEN = re.compile(
    r"//(?:\\\n|[^\n])*"
    r"|/\*.*?\*/"
    r'|R"(?P<tag>[^()\s\\]{0,16})\(.*?\)(?P=tag)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*'"
    r"|^[ \t]*#(?:\\\n|[^\n])*",
    re.DOTALL | re.MULTILINE,
)
# Regular expressions stand where a value may begin.
WEB_TOKEN = re.compile(
    r"//[^\n]*"
    r"|/\*.*?\*/"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'(?:\\.|[^'\\\n])*'"
    r"|`(?:\\.|\$\{(?:[^{}`]|`[^`]*`|\{[^{}]*\})*\}|[^`\\])*`"
    r"|(?<=[(,=:!&|?])\s*/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+/[a-z]*",
    re.DOTALL,
)
CONTAINER = re.compile(r"\b(?:namespace|class|struct|union|enum|extern|export|concept)\b")
CONTROL = re.compile(r"(?:^|[;{}\s])(?:if|for|while|switch|catch|with)\s*(?:await\s*)?\($|\b(?:else|do|try|finally)$")


def blank(text, token):
    """The text with what could hold a brace turned to spaces; lines stay where they are."""
    return token.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def drop_pairs(head):
    """The head without what stands in its parentheses, which stay."""
    out, depth = [], 0
    for c in head:
        depth -= c == ")"
        if depth <= 0:
            out.append(c)
        depth += c == "("
    return "".join(out)


def find_head(said):
    """Where the declaration begins in this text: behind blanks and the label of a section."""
    return re.match(r"\s*(?:(?:public|private|protected)\s*:\s*)?", said).end()


def drop_template(head):
    """The head without `template <...>` in front."""
    while head.startswith("template"):
        depth, at = 0, head.find("<")
        for at in range(at, len(head)):
            depth += (head[at] == "<") - (head[at] == ">")
            if depth == 0:
                break
        head = head[at + 1:].lstrip()
    return head


def is_cpp_function(said):
    """Whether a brace after this text, outside all functions, opens one."""
    bare = drop_pairs(drop_template(said[find_head(said):]))
    if "()" not in bare or bare.rstrip()[-1] in "=,(":
        return False
    before = re.sub(r"\boperator\W+$", "operator", bare.split("()", 1)[0])
    if CONTAINER.search(before):
        return before.startswith("extern")
    return "=" not in before or "[" in before  # a lambda


def find_cpp_functions(text):
    """Yields (first line, last line) of the functions that stand in namespaces and classes."""
    code = blank(text, CPP_TOKEN)
    head, at, depth = 0, 0, 0  # where the declaration begins; how deep in what is neither
    while at < len(code):
        c = code[at]
        if c == "(":
            depth += 1
        elif c == ")":
            depth -= 1
        elif c == "{" and depth == 0:
            said = code[head:at]
            if CONTAINER.search(said) and not is_cpp_function(said):
                head = at + 1
            else:
                end = find_end(code, at)
                # braces of values stand right behind their name, those of functions do not
                if said[-1:].isspace() and is_cpp_function(said):
                    yield line_of(code, head + find_head(said)), line_of(code, end)
                    head = end + 1
                at = end
        elif c in "};" and depth == 0:
            head = at + 1
        at += 1


def find_web_functions(text):
    """Yields (first line, last line) of all functions but suites, those in functions included."""
    code = blank(text, WEB_TOKEN)
    for match in re.finditer(r"\{", code):
        at = match.start()
        said = code[max(0, at - 2000):at].rstrip()
        start = find_web_head(said)
        if start is None:
            continue
        first = at - (len(code[max(0, at - 2000):at]) - start)
        line = code[code.rfind("\n", 0, first) + 1:first]
        if not re.search(r"\bdescribe\b", line + said[start:]):
            yield line_of(code, first), line_of(code, find_end(code, at))


def find_web_head(said):
    """Where the parameters of the function begin whose brace comes after this text; None: it opens none."""
    if said.endswith("=>"):
        said = said[:-2].rstrip()
        if not said.endswith(")"):
            typed = re.search(r"\)\s*:[^(){};]*$", said)  # (x): T => {
            name = re.search(r"[\w$]+$", said)
            if not typed:
                return name.start() if name else None
            said = said[:typed.start() + 1]
    elif not said.endswith(")"):
        typed = re.search(r"\)\s*:\s*[\w$.<>\[\]| ,'{}]+$", said)  # f(x): T {
        if not typed:
            return None
        said = said[:typed.start() + 1]
    depth = 0
    for at in range(len(said) - 1, -1, -1):
        depth += (said[at] == ")") - (said[at] == "(")
        if depth == 0:
            return None if CONTROL.search(said[:at + 1]) else at
    return None


def find_end(code, at):
    """The brace that closes the one at `at`."""
    depth = 0
    for k in range(at, len(code)):
        depth += (code[k] == "{") - (code[k] == "}")
        if depth == 0:
            return k
    return len(code) - 1


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def check(root):
    """Returns (findings as 'file:line: message', number of functions)."""
    findings, count = [], 0
    for folders, endings, find in ((CPP_FOLDERS, CPP_ENDINGS, find_cpp_functions),
                                   (WEB_FOLDERS, WEB_ENDINGS, find_web_functions)):
        for folder in folders:
            for path in sorted((root / folder).rglob("*")):
                if path.suffix not in endings or "generated" in path.parts or not path.is_file():
                    continue
                for first, last in find(path.read_text(encoding="utf-8", errors="replace")):
                    count += 1
                    if last - first + 1 > MAX_LINES:
                        findings.append(f"{path.relative_to(root)}:{first}: a function of {last - first + 1} lines, "
                                        f"more than {MAX_LINES}: split it")
    return findings, count


# ---- self-test ----

FILL = "  x = 1;\n"
LONG = FILL * (MAX_LINES - 1)  # with a line before it and one behind: too long
FINE = FILL * (MAX_LINES - 2)
CPP_CASES = [  # text, lines at which functions are too long
    ("int f(int x) {\n" + FINE + "}\n", []),
    ("int f(int x) {\n" + LONG + "}\n", [1]),
    ("namespace a {\nnamespace {\n\nint f(int x,\n      int y = 3) {\n" + LONG + "}\n}\n}\n", [4]),
    ("class A : public B {\n public:\n  A(int a) : a_(a), b_{a}, c_(1) {\n" + LONG + "  }\n};\n", [3]),
    ("struct A {\n  bool operator==(const A& a) const {\n" + LONG + "  }\n  A& operator=(A a) {\n" + LONG + "  }\n};\n",
     [2, 3 + MAX_LINES]),
    ("template <class T>\nauto f(T t) -> decltype(t + 1) {\n" + LONG + "}\nint g() { return 1; }\n", [1]),
    ("TEST(Aba, UndoesRnea) {\n  const char* brace = \"}\";  // }\n  char c = '}';\n" + LONG + "}\n", [1]),
    ("TEST(Aba, HasText) {\n  const char* t = R\"(}\n})\";\n" + LONG + "}\n", [1]),
    ("constexpr Key kKeys[] = {\n" + "    {1, f(2), {3}},\n" * 100 + "};\nint kTwo[2]{\n" + "1,\n" * 100 + "};\n", []),
    ("enum class E : int {\n" + "  kA,\n" * 100 + "};\nclass A {\n" + "  int f() { return 1; }\n" * 100 + "};\n", []),
    ("const auto kF = [](int x) {\n" + LONG + "};\n", [1]),
    ("extern \"C\" void f(int x) {\n" + LONG + "}\n", [1]),
    ("#define A {\nint f() {\n" + FINE + "}\n", []),
]
WEB_CASES = [
    ("export function f(x: number): string {\n" + FINE + "}\n", []),
    ("export function f(x: number): string {\n" + LONG + "}\n", [1]),
    ("const f = async (x: number) => {\n" + LONG + "};\nconst g = (x: number): Promise<void> => {\n" + LONG + "};\n",
     [1, 2 + MAX_LINES]),
    ("const f = x => {\n" + LONG + "};\n", [1]),
    ("class A {\n  private f(x = g(1)): Map<string, number> {\n" + LONG + "  }\n}\n", [2]),
    ("describe('A', () => {\n  it('does', () => {\n" + FINE + "  });\n" + FILL * 99 + "});\n", []),
    ("describe.skipIf(!a || !b)('A', () => {\n  it('does', async () => {\n" + LONG + "  });\n});\n", [2]),
    ("for (let i = 0; i < n; ++i) {\n" + LONG + "}\nif (a) {\n" + LONG + "} else {\n" + LONG + "}\n", []),
    ("const t = {\n  a: `${f({ b: 1 })} {`,\n  b: /[{'\"]/,\n" + "  c: 1,\n" * 99 + "};\n", []),
    ("class A {\n" + "  f() {\n  }\n" * 99 + "}\ninterface B {\n" + "  c: { d: number };\n" * 99 + "}\n", []),
]


def self_test():
    failures = 0
    for cases, find in ((CPP_CASES, find_cpp_functions), (WEB_CASES, find_web_functions)):
        for text, wanted in cases:
            found = [first for first, last in find(text) if last - first + 1 > MAX_LINES]
            if found != wanted:
                print(f"self-test: expected {wanted}, got {found}:\n{text[:300]}")
                failures += 1
    print(f"self-test: {len(CPP_CASES) + len(WEB_CASES)} files, {failures} read wrongly")
    return 1 if failures else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    findings, count = check(pathlib.Path(__file__).resolve().parent.parent)
    print("\n".join(findings + [f"{count} functions, {len(findings)} above {MAX_LINES} lines"]))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
