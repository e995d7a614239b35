#!/usr/bin/env node
/**
 * Makes a release in a copy of this checkout, up to the moment at which it would be published:
 * `node scripts/x.mjs exec node scripts/try-release.mjs`. It needs a build first, and changes nothing here.
 */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), "ccw-release-"));
const copy = join(folder, "copy");
const json = (file) => JSON.parse(readFileSync(file, "utf8"));

function run(command, args, cwd) {
  console.log(`> ${command} ${args.join(" ")}`);
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    ...{ cwd, encoding: "utf8", env: { ...process.env, CI: "" } },
  });
  if (error || status !== 0) {
    throw new Error(`${command} ${args[0]} ended with ${status ?? error}\n${stdout}${stderr}`);
  }
  return stdout;
}

/** Throws a sentence unless it holds. */
function require(holds, sentence) {
  if (!holds) throw new Error(sentence);
}

try {
  run("git", ["clone", "--quiet", "--no-local", root, copy], folder);
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  run(join(root, "node_modules/.bin/changeset"), ["version"], copy);
  const left = globSync(".changeset/*.md", { cwd: copy });
  require(left.length === 0, `changeset version left ${left.join(", ")}.`);
  const manifests = globSync("{packages,apps}/*/package.json", { cwd: copy }).sort();
  const released = new Set();
  for (const manifest of manifests) {
    const { name, version, private: own } = json(join(copy, manifest));
    if (own) continue;
    const dir = dirname(manifest);
    released.add(version);
    require(existsSync(join(copy, dir, "CHANGELOG.md")), `${name} has no CHANGELOG.md.`);
    for (const built of ["dist", "schema", "openapi.json"]) {
      const from = join(root, dir, built);
      if (existsSync(from)) cpSync(from, join(copy, dir, built), { recursive: true });
    }
    const tarball = join(folder, `${basename(dir)}.tgz`);
    run("pnpm", ["pack", "--out", tarball], join(copy, dir));
    const said = run(
      "npm",
      ["publish", "--dry-run", "--access", "public", "--json", tarball],
      folder,
    );
    const [first = {}] = Object.values({ ...[JSON.parse(said)] });
    const { id, files = [] } = first[name] ?? first;
    require(id === `${name}@${version}`, `npm would publish ${id} in place of ${name}@${version}.`);
    const odd = files
      .map(({ path }) => path)
      .filter((path) => /^(test|src|node_modules|\.tsbuild)\//.test(path));
    require(odd.length === 0, `${name} would publish ${odd.slice(0, 3).join(", ")}.`);
    console.log(`${id}: ${files.length} files`);
  }
  require(released.size ===
    1, `The packages have different versions: ${[...released].join(", ")}.`);
  console.log(`${manifests.length} packages could be published as ${[...released]}.`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
