#!/usr/bin/env python3
"""Checks that what the documents name exists, and that their lines are not too wide.

usage: check_docs.py ROOT        checks the documents below ROOT
       check_docs.py --self-test

- docs/papers.md has every row of the five papers exactly once, with an anchor; every test, file,
  command and example in its last column exists, and every row that names none says "not yet".
- Rows named on other pages link to docs/papers.md; those named in the READMEs of layers and in
  decision records exist. Help texts, messages, generated documents and the `about:` of scenes name
  none.
- Links between documents lead to files and headings that exist.
- The stages of docs/step.md are those of its chart and of the stage timers.
- Commands `stance NAME` in code blocks and in backticks exist.
- Lines of prose have at most 112 characters. Tables, headings, code, lines that are nothing but a
  link and what a test writes (the reference in docs/scenes.md) may have more.
"""

import re
import sys
import tempfile
from pathlib import Path

ROWS = {"R": 30, "S": 14, "H": 17, "A": 33, "K": 30}
CODE = re.compile(r"(?<![\w#/.-])([RSHAK])([1-9]\d?)(?![\w.]\w|\w)")
LINK = re.compile(r"(?<!\!)\[([^\]]*)\]\(([^)\s]+)\)")
IMAGE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)")
WIDTH = 112
FENCE = re.compile(r"\s*(```+|~~~+)")
MAY_BE_WIDE = re.compile(
    r"\s*(?:\||#{1,6} |<!--"  # a row of a table, a heading, a comment
    r"|(?:[-*+] |\d+[.)] )?(?:!?\[[^\]]*\]\(\S+\)|<?[a-z]+://\S+)[.,;:]?$)")  # one link


def list_pages(root: Path) -> list[Path]:
    """All Markdown files of the project, in order."""
    found = []
    for folder in ("docs", "src", "scenes", "models", "examples", "web", "tests", "bench", "tools"):
        found += [p for p in (root / folder).rglob("*.md") if "node_modules" not in p.parts]
    return sorted(found) + sorted(root.glob("*.md"))


def make_anchor(heading: str) -> str:
    """The anchor that a heading gets, as on GitHub."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    text = re.sub(r"[^\w\- ]", "", text.lower())
    return text.strip().replace(" ", "-")


def find_anchors(text: str) -> set[str]:
    anchors = set(re.findall(r'<a id="([^"]+)">', text))
    in_code = False
    for line in text.splitlines():
        if line.startswith("```"):
            in_code = not in_code
        elif not in_code and re.match(r"#{1,6} ", line):
            anchors.add(make_anchor(line.lstrip("#").strip()))
    return anchors


def find_tests(root: Path) -> set[str]:
    pattern = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)", re.M)
    names = set()
    for file in (root / "tests").rglob("*.cc"):
        names |= {f"{suite}.{name}" for suite, name in pattern.findall(file.read_text())}
    return names


def read_sources(root: Path) -> str:
    """The sources in which commands and options are declared."""
    files = [f for ending in ("cc", "h") for f in (root / "src/stance").rglob(f"*.{ending}")]
    return "".join(f.read_text() for f in sorted(files) + [root / "bench/main.cc"])


def find_commands(root: Path) -> tuple[set[str], set[str]]:
    """Commands of the program, and benches."""
    pattern = re.compile(r'command\([^")]{0,40}"([a-z][a-z-]*)"')
    commands, benches = {"bench"} | set(pattern.findall(read_sources(root))), set()
    table = re.search(r"kBenches\[\] = \{(.*?)\n\};", (root / "bench/main.cc").read_text(), re.S)
    if table:
        benches = set(re.findall(r'\{"([\w-]+)",', table.group(1))) | {"list"}
    return commands, benches


def find_options(root: Path) -> set[str]:
    """Every option that the sources name."""
    return set(re.findall(r"--[a-z][a-z-]*", read_sources(root)))


class Checker:
    def __init__(self, root: Path):
        self.root = root
        self.problems: list[str] = []
        self.tests = find_tests(root)
        self.commands, self.benches = find_commands(root)
        self.options = find_options(root)
        examples = root / "examples/CMakeLists.txt"
        text = examples.read_text() if examples.exists() else ""
        folders = " ".join(p.name for p in (root / "examples").glob("*") if p.is_dir())
        self.examples = {n for n in re.findall(r"NAME (example_\w+)", text)}
        self.examples |= {f"example_{n}" for n in folders.split()}

    def complain(self, where: str, what: str) -> None:
        self.problems.append(f"{where}: {what}")

    def check_command(self, where: str, words: list[str]) -> None:
        """Words after `stance`."""
        if not words or words[0].startswith("-") or not re.fullmatch(r"[a-z-]+", words[0]):
            return
        if words[0] not in self.commands:
            self.complain(where, f"there is no command 'stance {words[0]}'")
        elif words[0] == "bench":
            if len(words) > 1 and re.fullmatch(r"[a-z]+", words[1]) and words[1] not in self.benches:
                self.complain(where, f"there is no 'stance bench {words[1]}'")
        for word in words:
            if re.fullmatch(r"--[a-z][a-z-]*", word) and word not in self.options:
                self.complain(where, f"no command has the option {word}")

    def check_shown_by(self, where: str, code: str, cell: str) -> None:
        names = re.findall(r"`([^`]+)`", cell)
        links = [target for _, target in LINK.findall(cell)]
        for name in names:
            if name in ("hybrid",):
                continue
            if name.startswith("stance "):
                self.check_command(where, name.split()[1:])
                for word in name.split()[2:]:
                    if "/" in word and not (self.root / word).exists():
                        self.complain(where, f"{code}: {word} does not exist")
            elif name.startswith("example_"):
                if name not in self.examples:
                    self.complain(where, f"{code}: there is no {name}")
            elif "/" in name:
                if not (self.root / name).exists():
                    self.complain(where, f"{code}: {name} does not exist")
            elif re.fullmatch(r"\w+\.\w+", name):
                if name not in self.tests:
                    self.complain(where, f"{code}: there is no test {name}")
            else:
                self.complain(where, f"{code}: what is `{name}`?")
        if not names and not links and "not yet" not in cell:
            self.complain(where, f"{code} names nothing that shows it, nor says 'not yet'")

    def check_papers(self) -> None:
        page = self.root / "docs/papers.md"
        seen: dict[str, int] = {}
        for number, line in enumerate(page.read_text().splitlines(), 1):
            row = re.match(r'\| <a id="(\w+)"></a>(\w+) \| (.+?) \| (.+) \|$', line)
            if not row:
                if line.startswith("| <a"):
                    self.complain(f"docs/papers.md:{number}", "a row that cannot be read")
                continue
            anchor, code, says, shown = row.groups()
            where = f"docs/papers.md:{number}"
            if code in seen:
                self.complain(where, f"{code} stands here and on line {seen[code]}")
            seen[code] = number
            if anchor != code.lower():
                self.complain(where, f"the anchor of {code} is '{anchor}'")
            if not says.endswith("."):
                self.complain(where, f"{code}: not a sentence")
            self.check_shown_by(where, code, shown)
        wanted = {f"{letter}{k}" for letter, n in ROWS.items() for k in range(1, n + 1)}
        for code in sorted(wanted - set(seen)):
            self.complain("docs/papers.md", f"{code} is missing")
        for code in sorted(set(seen) - wanted):
            self.complain("docs/papers.md", f"{code} is no row of a paper")

    def check_codes(self, page: Path, text: str) -> None:
        name = str(page.relative_to(self.root))
        if name == "docs/papers.md":
            return
        is_strict = not name.startswith(("src/", "docs/adr/"))
        for number, line in enumerate(text.splitlines(), 1):
            linked = set()
            for label, target in LINK.findall(line):
                for letter, k in CODE.findall(label):
                    linked.add(letter + k)
                    if not target.endswith(f"papers.md#{(letter + k).lower()}"):
                        self.complain(f"{name}:{number}", f"{letter}{k} links to {target}")
            for letter, k in CODE.findall(line):
                if int(k) > ROWS[letter]:
                    self.complain(f"{name}:{number}", f"{letter}{k} is no row of docs/papers.md")
                elif is_strict and letter + k not in linked:
                    self.complain(f"{name}:{number}", f"{letter}{k} does not link to papers.md")

    def check_links(self, page: Path, text: str) -> None:
        name = page.relative_to(self.root)
        for target in [t for _, t in LINK.findall(text)] + IMAGE.findall(text):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            file = (page.parent / path) if path else page
            if not file.exists():
                self.complain(str(name), f"a link leads to {target}, which does not exist")
            elif anchor and file.suffix == ".md" and anchor not in find_anchors(file.read_text()):
                self.complain(str(name), f"{path or 'this page'} has no heading #{anchor}")

    def check_shell(self, page: Path, text: str) -> None:
        name = page.relative_to(self.root)
        for block in re.findall(r"^```(?:sh)?\n(.*?)^```$", text, re.M | re.S):
            for line in block.splitlines():
                call = re.match(r"(?:\./)?stance +(.*?)(?: +#.*)?$", line.strip())
                if call:
                    self.check_command(str(name), call.group(1).split())

    def check_widths(self, page: Path, text: str) -> None:
        name, fence, is_written = page.relative_to(self.root), "", False
        for number, line in enumerate(text.splitlines(), 1):
            mark = FENCE.match(line)
            if mark and not fence:
                fence = mark.group(1)
            elif mark and line.strip().startswith(fence):
                fence = ""
            elif re.match(r"<!-- (?:end of )?reference\b", line):
                is_written = line.startswith("<!-- reference")
            elif len(line) > WIDTH and not (fence or is_written or MAY_BE_WIDE.match(line)):
                self.complain(f"{name}:{number}", f"{len(line)} characters, wider than {WIDTH}")

    def check_sources(self) -> None:
        """No codes in what people see without the documents."""
        for file in sorted((self.root / "src").rglob("*.cc")):
            for number, line in enumerate(file.read_text().splitlines(), 1):
                code = line.split("//")[0] if '"' not in line.split("//")[0] else line
                for text in re.findall(r'"((?:[^"\\]|\\.)*)"', code):
                    for letter, k in CODE.findall(text):
                        self.complain(f"{file.relative_to(self.root)}:{number}",
                                      f"{letter}{k} in a text that people see")
        for file in sorted((self.root / "scenes").glob("*.yaml")):
            for number, line in enumerate(file.read_text().splitlines(), 1):
                if line.startswith("about:") and CODE.search(line):
                    self.complain(f"scenes/{file.name}:{number}", "a row's code in `about:`")
        schema = self.root / "docs/scene.schema.json"
        if schema.exists() and CODE.search(schema.read_text()):
            self.complain("docs/scene.schema.json", "a row's code in a description")

    def check_headers(self) -> None:
        """No codes in headers that are installed: include/stance, and what these include."""
        seen, ahead = set(), sorted((self.root / "include").rglob("*.h"))
        while ahead:
            file = ahead.pop()
            if file in seen or not file.exists():
                continue
            seen.add(file)
            text = file.read_text()
            ahead += [self.root / folder / name for folder in ("include", "src")
                      for name in re.findall(r'^#include "(stance/[^"]+)"', text, re.M)]
            for number, line in enumerate(text.splitlines(), 1):
                for letter, k in CODE.findall(line.partition("//")[2]):
                    self.complain(f"{file.relative_to(self.root)}:{number}",
                                  f"{letter}{k} in a header that is installed")

    def check_stages(self) -> None:
        """The stages of a step have the same names on the page, in its chart and in the timers."""
        page, chart = self.root / "docs/step.md", self.root / "docs/images/step_flow.svg"
        if not page.exists():
            return
        part = page.read_text().split("\n## One step\n", 1)[-1].split("\n## ", 1)[0]
        stages = re.findall(r"^### (.+)$", part, re.M)
        drawn = re.findall(r"<!-- (.+?) -->", chart.read_text())
        if stages != drawn:
            self.complain("docs/images/step_flow.svg", f"draws {drawn}, the page has {stages}")
        sources = read_sources(self.root)
        if '"find contacts"' in sources:
            for stage in stages:
                if f'"{stage}"' not in sources:
                    self.complain("docs/step.md", f"no timer is called '{stage}'")

    def check(self) -> list[str]:
        self.check_papers()
        self.check_stages()
        for page in list_pages(self.root):
            text = page.read_text()
            self.check_codes(page, text)
            self.check_links(page, text)
            self.check_shell(page, text)
            self.check_widths(page, text)
        self.check_sources()
        self.check_headers()
        return self.problems


def self_test() -> int:
    """Every kind of mistake is found in a small tree that has them all."""
    rows = "\n".join(f'| <a id="{l.lower()}{k}"></a>{l}{k} | It moves. | **not yet** |'
                     for l, n in ROWS.items() for k in range(1, n + 1))
    wide = "wide " * 30
    good = {
        "docs/papers.md": rows.replace("**not yet**", "`Ball.Falls`, `scenes/a.yaml`", 1) + "\n",
        "docs/page.md": "# Page\n[R1](papers.md#r1), see [there](#page)\n```\nstance run x\n```\n",
        "docs/wide.md": f"# {wide}\n| {wide}|\n```\n{wide}\n```\n- https://{'x' * 120}\n"
                        f"<!-- reference: by a test -->\n{wide}\n<!-- end of reference -->\n"
                        f"{'é' * WIDTH}\n",
        "docs/step.md": "# Step\n\n## One step\n### find contacts\n### solve\n",
        "docs/images/step_flow.svg": "<!-- find contacts --><!-- solve -->",
        "src/stance/cli/run.cc": '// R1\nadd_subcommand("run", "--json");\n',
        "src/stance/sim/stages.h": '"find contacts", "solve"\n',
        "src/stance/sim/groups.h": "// docs/papers.md#r1\n",
        "src/stance/sim/inside.h": "// R1\n",
        "include/stance/stance.h": '#include "stance/sim/groups.h"\n',
        "src/stance/sim/README.md": "R1\n",
        "bench/main.cc": 'kBenches[] = {\n    {"groups", "x"},\n};\n',
        "tests/a_test.cc": "TEST(Ball, Falls) {\n",
        "scenes/a.yaml": "about: a ball\n",
    }
    bad = {
        "is missing": ("docs/papers.md", lambda t: t.split("\n", 1)[1]),
        "stands here and": ("docs/papers.md", lambda t: t + t.split("\n", 1)[0]),
        "there is no test": ("docs/papers.md", lambda t: t.replace("Falls", "Flies")),
        "does not exist": ("docs/papers.md", lambda t: t.replace("a.yaml", "b.yaml")),
        "names nothing": ("docs/papers.md", lambda t: t.replace("**not yet**", "soon", 1)),
        "does not link": ("docs/page.md", lambda t: t + "R2\n"),
        "links to": ("docs/page.md", lambda t: t.replace("#r1", "#r2")),
        "has no heading": ("docs/page.md", lambda t: t.replace("(#page)", "(#pages)")),
        "leads to": ("docs/page.md", lambda t: t.replace("papers.md", "paper.md")),
        "no command": ("docs/page.md", lambda t: t.replace("stance run", "stance ran")),
        "has the option": ("docs/page.md", lambda t: t.replace("run x", "run --xml")),
        "that people see": ("src/stance/cli/run.cc", lambda t: t + '"the row R1"\n'),
        "is installed": ("src/stance/sim/groups.h", lambda t: t + "// R1\n"),
        "is no row": ("src/stance/sim/README.md", lambda t: "R31\n"),
        "the page has": ("docs/images/step_flow.svg", lambda t: t.replace("solve", "solved")),
        "no timer": ("src/stance/sim/stages.h", lambda t: t.replace("solve", "solved")),
        "wide.md:10: 113 characters": ("docs/wide.md", lambda t: t[:-1] + "é\n"),
        "wide.md:3: 150 characters": ("docs/wide.md", lambda t: t.replace("```\n", "")),
        "wide.md:8: 150 characters": ("docs/wide.md", lambda t: t.replace("<!--", "<!")),
        "in `about:`": ("scenes/a.yaml", lambda t: "about: a ball (R1)\n"),
    }
    failures = 0
    for wanted, (where, change) in {"": ("docs/page.md", lambda t: t), **bad}.items():
        with tempfile.TemporaryDirectory() as folder:
            for name, text in good.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(change(text) if name == where else text)
            problems = Checker(Path(folder)).check()
            if not any(wanted in p for p in problems) if wanted else problems:
                print(f"self-test '{wanted or 'nothing wrong'}' failed: {problems}")
                failures += 1
    return 1 if failures else 0


def main() -> int:
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    problems = Checker(Path(sys.argv[1] if len(sys.argv) > 1 else ".")).check()
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems" if problems else "all that the documents name exists")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
