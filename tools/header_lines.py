"""Reads a C++ header line by line, for tools/doxygen_filter.py: code apart from comments, the scopes that are
open, and what a line declares."""

import re

# Comments and strings, in the order in which C++ would see them.
TOKEN = re.compile(
    r"//[^\n]*"
    r"|/\*.*?\*/"
    r'|R"(?P<tag>[^()\s\\]{0,16})\(.*?\)(?P=tag)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*'",
    re.DOTALL,
)
SECTION = re.compile(r"^-{2,}\s*(.*?)\s*-*$")
FUNCTION = re.compile(r"(?<![\w.])(?P<name>operator\s*[^\s\w(]+|~?\w+)\s*\(")
SCOPE_HEAD = re.compile(r"^(?:template\s*<.*?>\s*(?=struct|class|union|enum))?(?:typedef\s+)?(?P<kind>struct|class|union|enum)\b", re.DOTALL)


class Line:
    """One line of a header: its code without comments, strings emptied; the // comment, if any; scopes."""

    def __init__(self, text):
        self.text, self.code, self.comment, self.column = text, "", None, -1
        self.before, self.after = (), ()  # scopes that are open at its beginning and at its end
        self.is_inside = False  # of a statement that began before it

    def is_rule(self):
        return self.comment is not None and not self.code and SECTION.match(self.comment.strip())

    def is_comment(self):
        return self.comment is not None and not self.code


def split_lines(text):
    """The lines with their code, comments and scopes."""
    lines = [Line(raw) for raw in text.split("\n")]
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.text) + 1)

    def replace(match):
        token = match.group()
        if token.startswith("//"):
            number = text.count("\n", 0, match.start())
            lines[number].comment = token[2:]
            lines[number].column = match.start() - starts[number]
            return " " * len(token)
        if token.startswith("/*"):
            return re.sub(r"[^\n]", " ", token)
        return token[0] + re.sub(r"[^\n]", "_", token[1:-1]) + token[-1]

    code = TOKEN.sub(replace, text)
    scopes, head, parens, in_directive = [], "", 0, False
    suspended = []  # (head, parens) of statements around a brace inside of parentheses
    for line, bare in zip(lines, code.split("\n")):
        line.code, line.before, line.is_inside = bare.strip(), tuple(scopes), bool(head.strip()) or parens > 0
        if in_directive or line.code.startswith("#"):
            line.is_inside = in_directive
            in_directive = line.code.endswith("\\")
            line.after = line.before
            continue
        for letter in bare + "\n":
            if letter == "{":
                scopes.append(name_scope(head, scopes, parens))
                suspended.append((head, parens) if parens else ("", 0))
                head, parens = "", 0
            elif letter == "}" and scopes:
                scopes.pop()
                head, parens = suspended.pop()
            elif letter == ";" and parens == 0:
                head = ""
            else:
                parens += {"(": 1, ")": -1}.get(letter, 0)
                head += letter
                if re.fullmatch(r"\s*(?:public|protected|private)\s*:", head):
                    head = ""
        line.after = tuple(scopes)
        if line.after and line.after[-1] == "enum" and line.code.endswith(","):
            head = ""
    return lines


def name_scope(head, scopes, parens):
    """What a brace opens: a namespace, a class, an enum, or the body of something."""
    if parens or "body" in scopes:
        return "body"
    head = head.strip()
    if re.match(r"(?:inline\s+)?namespace\b|extern \"", head):
        return "namespace"
    match = SCOPE_HEAD.match(head)
    if not match or re.search(r"\)\s*(?:const|noexcept|override|final)*$", head):
        return "body"
    return "enum" if match.group("kind") == "enum" else "class"


def find_function(line):
    """The name of the function that a line declares, or None."""
    if re.match(r"(?:using|typedef|struct|class|enum|union|template|#)\b|#", line.code):
        return None
    match = FUNCTION.search(re.split(r"=|\{", line.code)[0] if "operator" not in line.code else line.code)
    return re.sub(r"\s", "", match.group("name")) if match else None


def split_declarators(code):
    """`double radius = 0.0, length = 0.0;` as two declarations; None when it is anything else."""
    match = re.fullmatch(r"(?P<type>(?:const |static |inline |constexpr |mutable )*[\w:]+(?:<.*?>)?[&*]?) (?P<rest>[^()]*);", code)
    if not match or match.group("type") in ("using", "return", "struct", "class", "enum"):
        return None
    parts, depth = [""], 0
    for letter in match.group("rest"):
        depth += {"{": 1, "<": 1, "[": 1, "}": -1, ">": -1, "]": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    parts = [part.strip() for part in parts]
    if len(parts) < 2 or not all(re.match(r"\w+\s*(?:[={\[]|$)", part) for part in parts):
        return None
    return [f"{match.group('type')} {part};" for part in parts]
