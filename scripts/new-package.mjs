#!/usr/bin/env node
/**
 * Adds a package to the workspace, installs, builds and tests it:
 * `npm run new-package -- NAME "what it is for"`. Refuses a name that is taken, and changes nothing then.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [name = "", description = ""] = process.argv.slice(2);
const folder = `packages/${name}`;
const full = `@ccw-loop/${name}`;
const maker = name.replaceAll(/-(.)/g, (_, letter) => letter.toUpperCase());

function refuse(problem) {
  console.error(`new-package: ${problem}\nUsage: npm run new-package -- NAME "what it is for"`);
  process.exit(2);
}

if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
  refuse(`${JSON.stringify(name)} is no name of a package: use a-z, 0-9 and single dashes.`);
}
if (description.trim() === "") refuse("say in a few words what the package is for.");
for (const taken of [folder, `apps/${name}`]) {
  if (existsSync(join(root, taken))) refuse(`${taken} is there already.`);
}

const json = (value) => `${JSON.stringify(value, null, 2)}\n`;
const { engines, version } = JSON.parse(
  readFileSync(join(root, "packages/core/package.json"), "utf8"),
);
const files = {
  "package.json": json({
    name: full,
    version,
    description,
    license: "MIT",
    type: "module",
    sideEffects: false,
    files: ["dist"],
    engines,
    exports: { ".": "./src/index.ts", "./package.json": "./package.json" },
    publishConfig: {
      access: "public",
      exports: {
        ".": { types: "./dist/index.d.ts", default: "./dist/index.js" },
        "./package.json": "./package.json",
      },
    },
    scripts: {
      build: "tsc --build",
      typecheck: "tsc --build test",
      test: `vitest run --root ../.. --project ${full}`,
      pubcheck:
        "pnpm pack --out .pack/package.tgz && publint --strict .pack/package.tgz && attw .pack/package.tgz --profile esm-only --quiet",
    },
    dependencies: { "@ccw-loop/core": "workspace:^" },
  }),
  "tsconfig.json": json({
    extends: "../../tsconfig.base.json",
    compilerOptions: {
      rootDir: "src",
      outDir: "dist",
      tsBuildInfoFile: ".tsbuild/src.tsbuildinfo",
    },
    include: ["src"],
    references: [{ path: "../core" }],
  }),
  "test/tsconfig.json": json({
    extends: "../../../tsconfig.base.json",
    compilerOptions: {
      noEmit: true,
      rewriteRelativeImportExtensions: false,
      tsBuildInfoFile: "../.tsbuild/test.tsbuildinfo",
    },
    include: ["."],
    references: [{ path: ".." }],
  }),
  "README.md": `# ${full}\n\n${description}\n\n\`\`\`ts\nimport { ${maker} } from "${full}";\n\nconsole.log(${maker}("cart"));\n\`\`\`\n`,
  "src/index.ts": `import { parseLoopId } from "@ccw-loop/core";

/** The loop's id, once it is one. Throws \`invalid_id\`. */
export function ${maker}(id: string): string {
  return parseLoopId(id);
}
`,
  [`test/${name}.test.ts`]: `import { expect, test } from "vitest";
import { ${maker} } from "../src/index.ts";

test("an id of a loop is one, and a path is none", () => {
  expect(${maker}("cart")).toBe("cart");
  expect(() => ${maker}("../cart")).toThrow(expect.objectContaining({ code: "invalid_id" }));
});
`,
};
for (const [file, text] of Object.entries(files)) {
  const path = join(root, folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function change(file, make) {
  const path = join(root, file);
  writeFileSync(path, make(readFileSync(path, "utf8")));
}

change("tsconfig.json", (text) => {
  const config = JSON.parse(text);
  const last = config.references.findLastIndex(({ path }) => path.startsWith("packages/"));
  config.references.splice(last + 1, 0, { path: folder }, { path: `${folder}/test` });
  return json(config);
});
change("ARCHITECTURE.md", (text) => {
  const rows = [...text.matchAll(/^\| \[`@ccw-loop\/.*\n/gm)];
  const last = rows.at(-1);
  const at = last.index + last[0].length;
  return `${text.slice(0, at)}| [\`${full}\`](${folder}) | ${description} |\n${text.slice(at)}`;
});

const steps = [
  ["pnpm", "install", "--no-frozen-lockfile", "--prefer-offline", "--loglevel=error"],
  ["pnpm", "exec", "biome", "check", "--write", folder, "tsconfig.json"],
  [
    "pnpm",
    "exec",
    "turbo",
    "run",
    "build",
    "typecheck",
    `--filter=${full}`,
    "--output-logs=errors-only",
  ],
  ["pnpm", "exec", "vitest", "run", "--project", full],
];
for (const [command, ...args] of steps) {
  console.error(`> ${[command, ...args].join(" ")}`);
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
console.log(`${folder} is there, built and tested. What it is for stands in its README and in the table of ARCHITECTURE.md;
when all packages are built, what it exports is written down with: node scripts/x.mjs exec node scripts/api-report.mjs --write
A change that users notice carries a changeset: node scripts/x.mjs exec pnpm exec changeset`);
