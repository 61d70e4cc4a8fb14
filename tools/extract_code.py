#!/usr/bin/env python3
"""Writes the C++ snippets of a page of the docs to a file that can be compiled.

usage: extract_code.py PAGE.md HEADER OUTPUT.cc
"""

import re
import sys
from pathlib import Path


def main() -> int:
    page, header, output = sys.argv[1:4]
    blocks = re.findall(r"^```cpp\n(.*?)^```$", Path(page).read_text(), re.M | re.S)
    if not blocks:
        print(f"{page}: no C++ in it", file=sys.stderr)
        return 1
    text = f'#include "{header}"\n\nusing namespace stance;\n\n' + "\n".join(blocks)
    Path(output).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
