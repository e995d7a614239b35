#!/usr/bin/env node
/**
 * Writes what each package exports, as its published types say it, into `api.txt` beside its manifest, so that a review shows what
 * a change breaks: `node scripts/api-report.mjs --write`. Without `--write` it fails where a file is not what the build has. Needs a build.
 */
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAst } from "rolldown/parseAst";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** What is longer, mostly types of schemas, is told by its digest: that it changed still shows. */
const LONGEST = 40;
const known = new Map();

/** The exports of a declaration file by name, each as the text of its declaration. */
function exportsOf(file) {
  const before = known.get(file);
  if (before) return before;
  const found = new Map();
  known.set(file, found);
  const source = readFileSync(file, "utf8");
  const { body } = parseAst(source, { lang: "dts" }, file);
  const textOf = ({ start, end }) => source.slice(start, end);
  const from = (node) => {
    const { value } = node.source;
    return value.startsWith(".") ? resolve(dirname(file), value.replace(/\.tsx?$/, ".d.ts")) : null;
  };
  const add = (name, text) => {
    const same = found.get(name);
    found.set(name, same === undefined || same === text ? text : `${same}\n${text}`);
  };
  const local = (name) => {
    const own = body.filter((node) => namesIn(node.declaration ?? node).includes(name)).map(textOf);
    return own.length > 0 ? own.join("\n") : `export { ${name} };`;
  };
  for (const node of body) {
    if (node.type === "ExportAllDeclaration") {
      const path = from(node);
      if (path === null || node.exported) add(textOf(node), textOf(node));
      else for (const [name, text] of exportsOf(path)) add(name, text);
    } else if (node.type === "ExportNamedDeclaration" && node.declaration) {
      for (const name of namesIn(node.declaration)) add(name, textOf(node));
    } else if (node.type === "ExportNamedDeclaration") {
      for (const one of node.specifiers) {
        const path = node.source ? from(node) : undefined;
        const [name, inner] = [one.exported.name, one.local.name];
        if (path === null) add(name, `export { ${inner} } from "${node.source.value}";`);
        else add(name, (path && exportsOf(path).get(inner)) ?? local(inner));
      }
    } else if (node.type === "ExportDefaultDeclaration") {
      const { declaration } = node;
      add("default", declaration.type === "Identifier" ? local(declaration.name) : textOf(node));
    }
  }
  return found;
}

function namesIn({ id, declarations = [] }) {
  return [id, ...declarations.map((one) => one.id)].flatMap((one) => one?.name ?? []);
}

function shortened(text) {
  const plain = text
    .replaceAll(/\/\*\*[\s\S]*?\*\/\s*/g, "")
    .replace(/^(export )?declare /, "export ");
  const lines = plain.split("\n");
  if (lines.length <= LONGEST) return plain;
  const digest = createHash("sha256").update(plain).digest("hex").slice(0, 16);
  return `${lines[0]} … ${lines.length} lines, sha256 ${digest}`;
}

/** What the package of a folder exports; null where nothing is published with types. */
function reportOf(dir) {
  const {
    name,
    private: own,
    publishConfig,
  } = JSON.parse(readFileSync(join(dir, "package.json"), "utf8"));
  if (own) return null;
  const entries = Object.entries(publishConfig?.exports ?? {}).filter(([, to]) => to.types);
  const sections = entries.map(([path, { types }]) => {
    const all = [...exportsOf(join(dir, types))].sort(([a], [b]) => (a < b ? -1 : 1));
    return [`# ${name}${path.slice(1)}`, ...new Set(all.map(([, text]) => shortened(text)))].join(
      "\n\n",
    );
  });
  return `${sections.join("\n\n")}\n`;
}

const drifted = [];
const write = process.argv.includes("--write");
for (const file of globSync("{packages,apps}/*/package.json", { cwd: root }).sort()) {
  const dir = join(root, dirname(file));
  const report = reportOf(dir);
  if (report === null) continue;
  const place = join(dir, "api.txt");
  if (existsSync(place) && readFileSync(place, "utf8") === report) continue;
  if (write) writeFileSync(place, report);
  else drifted.push(`${dirname(file)}/api.txt`);
}
if (drifted.length > 0) {
  console.error(
    `${drifted.join(", ")}: not what the packages export. Write it with: node scripts/x.mjs exec node scripts/api-report.mjs --write`,
  );
  process.exitCode = 1;
}
