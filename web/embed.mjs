// node embed.mjs DIST PAGE.cc: writes the built page as C++ (src/stance/view/page.h), each file as it is and
// compressed. The bytes themselves are taken in by the assembler.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

const [dist, target] = process.argv.slice(2).map((p) => resolve(p));
const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const blob = (name, file) => `asm(R"(
  .section .rodata
  .balign 16
${name}:
  .incbin "${file}"
${name}_end:
  .byte 0
  .previous
)");
extern "C" const char ${name}[], ${name}_end[];
`;

let declarations = '';
let entries = '';
readdirSync(dist)
  .filter((name) => extname(name) in types)
  .sort()
  .forEach((name, k) => {
    const bytes = readFileSync(join(dist, name));
    writeFileSync(join(dist, `${name}.gz`), gzipSync(bytes, { level: 9 }));
    const etag = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
    declarations += blob(`stance_page_${k}`, join(dist, name)) + blob(`stance_page_${k}_gz`, join(dist, `${name}.gz`));
    const range = (id) => `{${id}, static_cast<std::size_t>(${id}_end - ${id})}`;
    entries += `      {"/${name}", "${types[extname(name)]}", "\\"${etag}\\"", ${range(`stance_page_${k}_gz`)}, ${range(`stance_page_${k}`)}},\n`;
  });
writeFileSync(
  target,
  `// Written by web/embed.mjs; do not change it.\n#include "stance/view/page.h"\n\n${declarations}
std::span<const stance::view::PageFile> stance::view::page_files() {
  static const PageFile files[] = {\n${entries}  };
  return files;
}\n`,
);
