#!/usr/bin/env python3
"""Shows Doxygen our headers with their comments in its own form; tools/reference.sh runs it.

  tools/doxygen_filter.py FILE       the header as Doxygen should see it, line by line (INPUT_FILTER)
  tools/doxygen_filter.py --headers  the headers that the reference is made of, one per line

The sources have plain comments. What becomes of them:
  the block behind #pragma once           what the file is for; in include/stance with a table of the names
                                          that it brings into namespace stance
  // lines directly above a declaration   its documentation, and that of its overloads in the next lines
  // behind a member                      the member's documentation, for all names of the line
  // ---- the loop                        in a class, the heading of the members that follow; else nothing
  lines indented in a comment             code or formulas, as they are
Comments inside functions, or with an empty line behind them, stay what they are. No line is added or taken
away, so that warnings of Doxygen name the right one. tests/docs/doxygen_filter_test.py tries it on
made-up headers.
"""

import argparse
import pathlib
import re
import sys

from header_lines import SECTION, find_function, split_declarators, split_lines

ROOT = pathlib.Path(__file__).resolve().parent.parent
API = "include/stance"

ROWS = re.compile(r"\s*\((?:[RSHAK]\d{1,2}(?:, )?)+\)")  # of docs/papers.md; nothing outside knows them
USING = re.compile(r"^using\s+(?P<scope>[\w:]+)::(?P<name>\w+);$")
# What a comment above is not about, or what Doxygen has no place for.
NO_DECLARATION = re.compile(
    r"^(?:[})]|#(?!\s*define\b)|(?:public|protected|private)\s*:|namespace\b|inline namespace\b|extern \"|friend\b"
    r"|using namespace\b"
    r"|(?:class|struct|enum class)\s+\w+;$|template\s*<[^<>]*>\s*(?:class|struct)\s+\w+;$|static_assert\b)")
NAMELESS = re.compile(r"/\*(\w+)\*/(?=\s*[,)])")  # a parameter that is not used here


def escape(text, is_start=True):
    """Plain words: nothing in them is a command, a tag, a link by accident or a piece of Markdown. is_start:
    a sentence begins with them."""
    parts = re.split(r"(`[^`]+`)", ROWS.sub("", text))
    for k in range(0, len(parts), 2):
        part = re.sub(r"[\\@#$%]", lambda m: "\\" + m.group(), parts[k])
        part = part.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
        part = re.sub(r"[*_~]", escape_mark, part)
        part = re.sub(r"\](?=[(\[])", "]&zwnj;", part)  # no link
        parts[k] = re.sub(r"(?<![\w:])::(?=\w)", r"\\::", part)
    text = "".join(parts)
    # a line that would begin a list, or make a heading of the one before
    text = re.sub(r"^(\s*)(?=[-+](?:\s|$)|[-=]+$)", r"\1&zwnj;", text)
    text = re.sub(r"^(\s*\d+)\.(?=\s)", r"\1\\.", text)
    # a capital at the beginning of a sentence is no name of a class
    begin = r"(^|\.\s+)" if is_start else r"(\.\s+)"
    return re.sub(begin + r"(?=[A-Z][a-z]+(?![\w(&\\]|::))", r"\1%", text)


def escape_mark(match):
    mark, text = match.group(), match.string
    around = text[match.start() - 1:match.start()] + text[match.end():match.end() + 1]
    if mark == "_" and re.fullmatch(r"\w\w", around):
        return mark  # inside of a name, where it marks nothing
    return {"*": "\\*", "_": "\\_", "~": "\\~" if text[match.end():match.end() + 1] == "~" else "~"}[mark]


def convert_block(comments):
    """The lines of a comment as lines of documentation, without slashes; indented ones are shown as they are."""
    is_code = [len(c) - len(c.lstrip()) >= 3 and not re.match(r"\s+[-*] ", c) for c in comments]
    for k in range(1, len(comments) - 1):  # an empty line between two of code
        is_code[k] = is_code[k] or (not comments[k].strip() and is_code[k - 1] and any_code_next(is_code, comments, k))
    language = "{.cpp}" if any(re.search(r"[;{]$|\);", c) for c, code in zip(comments, is_code) if code) else "{.unparsed}"
    out = []
    for k, comment in enumerate(comments):
        is_start = k == 0 or is_code[k - 1] or not comments[k - 1].strip() or comments[k - 1].rstrip().endswith(".")
        out.append(" " + comment.rstrip()[3:] if is_code[k] else (" " + escape(comment.strip(), is_start)).rstrip())
    for k, code in enumerate(is_code):
        if code and (k == 0 or not is_code[k - 1]):
            if k and not out[k - 1]:
                out[k - 1] = f" @code{language}"
            elif k:
                out[k - 1] += f" @code{language}"
            else:
                out[k] = f" @code{language}{out[k]}"
        if code and (k + 1 == len(out) or not is_code[k + 1]):
            if k + 1 < len(out) and not out[k + 1]:
                out[k + 1] = " @endcode"
            else:
                out[k] += " @endcode"
    return out


def join_block(comments):
    """A comment as one line of documentation."""
    return " ".join(line.strip() or "<p>" for line in convert_block(comments))


def any_code_next(is_code, comments, k):
    while k + 1 < len(comments) and not comments[k + 1].strip():
        k += 1
    return k + 1 < len(comments) and is_code[k + 1]


class Filter:
    def __init__(self, text, table="", header="", public=None):
        self.lines = split_lines(text)
        self.out = [line.text for line in self.lines]
        self.table = table  # for the documentation of the file
        self.header = header  # as programs include it, "stance/run/simulation.h"
        self.public = public or {}  # {name of this layer: public headers that bring it into namespace stance}
        self.about_file = []  # the lines of the first comment
        self.noted = set()  # lines that add_notes has seen
        self.section_depth = 0  # scopes around an open heading, 0: there is none

    def run(self):
        k = self.convert_file_comment()
        while k < len(self.lines):
            line = self.lines[k]
            if self.section_depth and (len(line.after) < self.section_depth or
                                       re.match(r"(?:public|protected|private)\s*:", line.code)):
                self.out[k] = "/**@}*/" + self.out[k]
                self.section_depth = 0
            if "body" in line.before or line.comment is None:
                self.point_back(k)
                self.add_notes(k, k)
                k += 1
            elif line.is_rule():
                self.convert_rule(k)
                k += 1
            elif line.is_comment():
                k = self.convert_above(k)
            else:
                end = self.convert_behind(k)
                self.add_notes(k, k)
                k = end
        return "\n".join(NAMELESS.sub(r"\1", text) if "body" not in line.before else text
                         for line, text in zip(self.lines, self.out))

    def find_end(self, first):
        """Behind the last line of the comment that begins there."""
        end = first
        while end < len(self.lines) and self.lines[end].is_comment() and not self.lines[end].is_rule():
            end += 1
        return end

    def write(self, first, end, mark="///"):
        texts = convert_block([line.comment for line in self.lines[first:end]])
        for k, text in zip(range(first, end), texts):
            self.out[k] = self.lines[k].text[:self.lines[k].column] + mark + text

    def convert_file_comment(self):
        """`#pragma once`, an empty line, a comment, an empty line."""
        if len(self.lines) < 4 or not re.match(r"#\s*pragma\s+once\b", self.lines[0].code):
            return 0
        end = self.find_end(2)
        if end == 2 or self.lines[1].text.strip():
            return 1
        self.out[1] = "/// @file"
        self.write(2, end)
        self.about_file = [line.comment for line in self.lines[2:end]]
        if self.table and end < len(self.lines) and not self.lines[end].text.strip():
            self.out[end] = "/// " + self.table
        return end

    def convert_rule(self, k):
        line = self.lines[k]
        title = SECTION.match(line.comment.strip()).group(1)
        close = "/**@}*/ " if self.section_depth else ""
        self.section_depth = 0
        self.out[k] = close
        if title and line.before and line.before[-1] == "class":
            self.out[k] = f"{close}/** @name {title[0].upper()}{escape(title[1:], False)} */ /**@{{*/"
            self.section_depth = len(line.before)

    def convert_above(self, first):
        """A comment of whole lines, of the declaration below it; returns where to go on."""
        end = self.find_end(first)
        if end == len(self.lines):
            return end
        below = self.lines[end]
        is_attached = below.code and not below.is_inside and not NO_DECLARATION.match(below.code)
        if not is_attached or USING.match(below.code) or self.lines[first].is_inside:
            return end
        self.write(first, end)
        self.add_notes(first, end)
        self.repeat(first, end)
        return end + 1 if self.lines[end].comment is None else end

    def add_notes(self, first, k):
        """Where programs find what line k declares, behind the comment of lines [first, k); what a class without a
        comment is."""
        line = self.lines[k]
        if line.is_inside or line.before != ("namespace",) or not line.code:
            return
        at = k + 1 if line.code.startswith("template") and k + 1 < len(self.lines) else k
        kind = re.match(r"(?:struct|class|enum class|enum|union)\s+(?:alignas\(\w+\)\s+)?(?P<name>\w+)(?!\w|;)", self.lines[at].code)
        alias = re.match(r"using\s+(?P<name>\w+)\s*=", self.lines[at].code)
        match = kind or alias
        name = match.group("name") if match else find_function(self.lines[at])
        is_public = name in self.public
        if not name or not (is_public or kind) or k in self.noted:
            return
        self.noted.add(k)
        note = ""
        if first == k and kind:
            is_main = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower() == pathlib.PurePath(self.header).stem
            note = (join_block(self.about_file) if is_main and self.about_file
                    else f'@details See @ref {self.header} "{self.header}".' if self.header else "")
        if is_public:
            headers = " and ".join(f'@ref {h} "{h}"' for h in self.public[name])
            note += f"{' ' if note else ''}<p>For programs: `stance::{name}`, by {headers}.</p>"
            if first == k and not note.startswith("@details") and not kind:
                note = "@details " + note
            if kind and "enum" not in kind.group():
                note += f' @headerfile {self.public[name][0]} "{self.public[name][0]}"'
        if not note:
            return
        if first == k and self.out[k].lstrip().startswith("/** "):
            self.out[k] = self.out[k].replace(" */", f" {note.removeprefix('@details ')} */", 1)
        elif first == k:
            self.out[k] = self.indent(k, f"/** {note} */ ")
        else:
            self.out[k - 1] += " " + note

    def repeat(self, first, end):
        """Functions in the lines below the one that a comment is about: overloads have the same one, others
        point to it."""
        texts = [line.comment for line in self.lines[first:end]]
        k = self.find_statement_end(end)
        name = find_function(self.lines[end]) or (
            self.lines[end].code.startswith("template") and find_function(self.lines[min(end + 1, k)]))
        while name and k + 1 < len(self.lines):
            k += 1
            line = self.lines[k]
            start = k
            if not line.code or line.comment is not None or line.before != self.lines[end].before:
                return
            if line.code.startswith("template") and not line.code.endswith(";") and k + 1 < len(self.lines):
                k += 1
            other = find_function(self.lines[k])
            if not other or "~" in other or NO_DECLARATION.match(line.code):
                return
            k = self.find_statement_end(k)
            last = self.lines[k]
            if last.comment is not None or re.search(r"=\s*(?:delete|default);", last.code):
                if other != name:
                    return
                continue
            if other == name:
                self.out[start] = self.indent(start, f"/** {join_block(texts)} */ ")
            elif re.search(r"\)\s*(?:const|= 0|noexcept|override|\s)*;$", last.code) or line.code.startswith("virtual "):
                self.out[start] = self.indent(start, f"/** See {name}(). */ ")

    def point_back(self, k):
        """A function right behind the struct that it takes or returns: the comment of that one is about both."""
        line, name = self.lines[k], find_function(self.lines[k])
        if not name or line.is_inside or k == 0 or self.lines[k - 1].code != "};" or line.before != ("namespace",):
            return
        start = k - 1
        while start > 0 and self.lines[start].before != line.before:
            start -= 1
        match = re.match(r"(?:struct|class)\s+(\w+)", self.lines[start].code)
        if match and re.search(rf"\b{match.group(1)}\b", line.code) and self.lines[start - 1].is_comment():
            self.out[k] = self.indent(k, f"/** See {match.group(1)}. */ ")

    def indent(self, k, text):
        bare = self.out[k].lstrip()
        return self.out[k][:len(self.out[k]) - len(bare)] + text + bare

    def find_statement_end(self, k):
        """The line on which what begins at line k ends: its semicolon, or the brace that closes its body."""
        depth = len(self.lines[k].before)
        while k + 1 < len(self.lines):
            line = self.lines[k]
            if len(line.after) <= depth and not self.lines[k + 1].is_inside and not line.code.startswith("template"):
                break
            k += 1
        return k

    def convert_behind(self, k):
        """A comment behind code, and the lines that go on with it below; returns where to go on."""
        line = self.lines[k]
        end = k + 1
        while end < len(self.lines) and self.lines[end].is_comment() and self.lines[end].column == line.column:
            end += 1
        in_enum = line.after and line.after[-1] == "enum"
        is_whole = line.code.endswith(";") or in_enum or (line.code.endswith("}") and line.code != "}")
        is_member = (is_whole and len(line.code) > 2 and "body" not in line.after and
                     not NO_DECLARATION.match(line.code) and not USING.match(line.code) and
                     not re.match(r"\}", line.code) and len(line.after) >= len(line.before) and
                     not (line.is_inside and in_enum and "{" in line.code))
        if not is_member or "NOLINT" in line.comment:
            return k + 1
        texts = convert_block([part.comment for part in self.lines[k:end]])
        code = line.text[:line.column]
        several = split_declarators(code.strip())
        if several and end == k + 1:
            indent = code[:len(code) - len(code.lstrip())]
            self.out[k] = indent + " ".join(f"{part} /**<{texts[0]} */" for part in several)
            return end
        self.out[k] = f"{code}///<{texts[0]}"
        for j, text in zip(range(k + 1, end), texts[1:]):
            self.out[j] = self.lines[j].text[:self.lines[j].column] + "///<" + text
        return end


# ---- what the reference is made of ----

def find_direct_includes(text):
    """Headers of src/stance that a header includes itself."""
    return re.findall(r'^#include "(stance/\w+/\w+\.h)"', text, re.MULTILINE)


def find_definition(root, scope, name):
    """The header of src/stance in which stance::SCOPE::NAME is defined, or None."""
    pattern = re.compile(rf"^(?:(?:struct|class|enum class)\s+(?:alignas\(\w+\)\s+)?{name}\b[^;]*$"
                         rf"|using\s+{name}\s*=|[\w:].*[\s&*]{name}\()", re.MULTILINE)
    for path in sorted((root / "src/stance" / scope.split("::")[0]).glob("*.h")):
        if pattern.search(path.read_text(encoding="utf-8")):
            return path
    return None


def list_usings(text):
    """[(comment above, [(scope, name)])] of a public header."""
    groups, comment, is_open = [], [], False
    for line in split_lines(text):
        match = USING.match(line.code)
        if match and line.before == ("namespace",):
            if not is_open:
                groups.append((" ".join(comment), []))
            groups[-1][1].append((match.group("scope"), match.group("name")))
            is_open, comment = True, []
        elif line.is_comment() and line.before:
            comment, is_open = comment + [line.comment.strip()], False
        elif not line.code:
            comment, is_open = [], False
        else:
            comment = []
    return groups


def list_headers(root):
    """The public headers, those that they include themselves, and those that define what they bring in."""
    public = sorted((root / API).glob("*.h"))
    inner = set()
    for path in public:
        text = path.read_text(encoding="utf-8")
        inner |= {root / "src" / name for name in find_direct_includes(text)}
        for _, names in list_usings(text):
            inner |= {find_definition(root, scope, name) for scope, name in names} - {None}
    return public + sorted(inner)


def make_table(text):
    """What a public header brings into namespace stance, as one line of HTML."""
    rows = []
    for comment, names in list_usings(text):
        if comment:
            rows.append(f'<tr><td colspan="2"><b>{escape(comment)}</b></td></tr>')
        rows += [f'<tr><td>@ref stance::{scope}::{name} "{name}"</td>'
                 f"<td>@copybrief stance::{scope}::{name} </td></tr>" for scope, name in names]
    return f"<p>In namespace `stance`:</p><table>{''.join(rows)}</table>" if rows else ""


def find_public(root, layer):
    """{name of a layer: the public headers that bring it into namespace stance}."""
    found = {}
    for path in sorted((root / API).glob("*.h")):
        for _, names in list_usings(path.read_text(encoding="utf-8")):
            for scope, name in names:
                if scope == layer:
                    found.setdefault(name, []).append(f"stance/{path.name}")
    return found


def convert(root, path):
    """A header below root as Doxygen should see it."""
    text, name = path.read_text(encoding="utf-8"), path.resolve().relative_to(root)
    if name.parent == pathlib.PurePath(API):
        return Filter(text, table=make_table(text)).run()
    header = name.relative_to("src").as_posix() if name.parts[0] == "src" else ""
    return Filter(text, header=header, public=find_public(root, name.parent.name)).run()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=pathlib.Path, help="header to convert")
    parser.add_argument("--headers", action="store_true", help="list what the reference is made of")
    arguments = parser.parse_args()
    if arguments.headers:
        for path in list_headers(ROOT):
            print(path.relative_to(ROOT))
        return 0
    if not arguments.file:
        parser.error("name a header, or --headers")
    sys.stdout.write(convert(ROOT, arguments.file))
    return 0


if __name__ == "__main__":
    sys.exit(main())
