/** The first TypeScript example of a package's README, which is played as it is printed. */
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";

/** What cannot be run without an agent, a database or a terminal: it is compiled alone. */
export const COMPILED_ONLY = ["agent-acp", "agent-codex", "store-postgres", "tui"];

/** Every strict check of TypeScript. */
export const TSCONFIG = {
  compilerOptions: {
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
    ...{ target: "es2024", lib: ["es2024", "esnext.disposable"], module: "nodenext" },
    ...{ types: ["node"], noEmit: true, verbatimModuleSyntax: true, skipLibCheck: false },
  },
  include: ["*.ts"],
};

/** The example of the package in a folder: its code, the packages that it imports, and what it has to print. */
export function exampleIn(dir) {
  const text = readFileSync(join(dir, "README.md"), "utf8");
  const [, code] = /^```ts\n([\s\S]*?)^```$/m.exec(text) ?? [];
  if (code === undefined) throw new Error(`${dir}/README.md has no TypeScript example.`);
  const lines = code.split("\n").filter((line) => /(console\.log|tree\.spawn)\(.*\/\/ /.test(line));
  const printed = lines.map((line) => line.replace(/.*\/\/ /, ""));
  const imports = [...code.matchAll(/from "(@ccw-loop\/[^/"]+)/g)].map(([, name]) => name);
  return {
    name: basename(dir),
    code,
    imports: [...new Set(imports)],
    printed: printed.filter((line) => !/^[[{]/.test(line)),
  };
}

/** Throws where an example did not print what stands behind its lines. */
export function requirePrinted({ name, printed }, said) {
  const missing = printed.find((line) => !said.includes(line));
  if (missing !== undefined) throw new Error(`${name}.ts does not print "${missing}":\n${said}`);
}
