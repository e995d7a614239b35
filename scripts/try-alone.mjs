#!/usr/bin/env node
/**
 * Installs each package by itself, from a registry of this machine, into an empty project of npm, pnpm, yarn and bun. The example
 * of its README has to compile there with every strict check, and to run as printed on the oldest Node that the packages take, on the pinned
 * one and on the newest. `node scripts/x.mjs exec node scripts/try-alone.mjs [MANAGER…] [--only PACKAGE]…` needs a build first.
 */
import { execFile } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { serveTarballs } from "./local-registry.mjs";
import { COMPILED_ONLY, exampleIn, requirePrinted, TSCONFIG } from "./readme-examples.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const json = (file) => JSON.parse(readFileSync(file, "utf8"));
const folder = mkdtempSync(join(tmpdir(), "ccw-alone-"));
const home = join(folder, "home");
const tools = join(folder, "tools");
for (const made of [home, tools]) mkdirSync(made);
const env = { ...process.env, HOME: home, npm_config_cache: join(home, "cache"), CI: "" };
const { values, positionals } = parseArgs({
  options: { only: { type: "string", multiple: true, default: [] } },
  allowPositionals: true,
});

/** What a command prints. Throws all of it where it fails. */
async function run(command, args, cwd, more = {}) {
  const options = { cwd, env: { ...env, ...more }, maxBuffer: 1 << 26 };
  try {
    return (await promisify(execFile)(command, args, options)).stdout;
  } catch ({ code, stdout, stderr }) {
    throw new Error(`${basename(command)} ${args[0]} ended with ${code}:\n${stdout}${stderr}`);
  }
}

/** The packages as they would be published, with their folders. */
async function packAll() {
  const files = globSync("{packages,apps}/*/package.json", { cwd: root }).sort();
  const packed = [];
  for (const dir of files.map((file) => join(root, dirname(file)))) {
    if (json(join(dir, "package.json")).private) continue;
    const tarball = join(folder, `${basename(dir)}.tgz`);
    await run("pnpm", ["pack", "--out", tarball], dir);
    const text = await run("tar", ["-xOf", tarball, "package/package.json"], folder);
    packed.push({ dir, tarball, manifest: JSON.parse(text) });
  }
  return packed;
}

const platform = `${process.platform}-${process.arch}`;
/** The oldest line that the packages take, the pinned one, the newest: npm has each as a package. */
const nodes = {
  22: "22",
  pinned: readFileSync(join(root, ".node-version"), "utf8").trim(),
  newest: "latest",
};

async function fetchTools() {
  const specs = Object.entries(nodes).map(
    ([name, wanted]) => `node-${name}@npm:node-${platform}@${wanted}`,
  );
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error", "--ignore-scripts"];
  await run(
    "npm",
    ["install", ...quiet, ...specs, "@yarnpkg/cli-dist", `@oven/bun-${platform}`],
    tools,
  );
  return Object.keys(nodes).map((name) => {
    const place = join(tools, "node_modules", `node-${name}`);
    return { version: json(join(place, "package.json")).version, binary: join(place, "bin/node") };
  });
}

/** How each manager is told where our packages are, and how it adds what is named. */
function managers(ours, others) {
  const npmrc = { ".npmrc": `registry=${others}\n@ccw-loop:registry=${ours}\n` };
  const yarnrc = [
    "nodeLinker: node-modules",
    "enableTelemetry: false",
    'unsafeHttpWhitelist: ["127.0.0.1"]',
    `npmRegistryServer: "${others}"`,
    `npmScopes: { ccw-loop: { npmRegistryServer: "${ours}" } }`,
  ];
  const yarn = { ".yarnrc.yml": `${yarnrc.join("\n")}\n`, "yarn.lock": "" };
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
  return {
    npm: {
      files: npmrc,
      add: (project, specs) => run("npm", ["install", ...quiet, ...specs], project),
    },
    pnpm: { files: npmrc, add: (project, specs) => run("pnpm", ["add", ...specs], project) },
    yarn: {
      files: yarn,
      add: (project, specs) =>
        run(
          process.execPath,
          [join(tools, "node_modules/@yarnpkg/cli-dist/bin/yarn.js"), "add", ...specs],
          project,
        ),
    },
    bun: {
      files: npmrc,
      add: (project, specs) =>
        run(join(tools, `node_modules/@oven/bun-${platform}/bin/bun`), ["add", ...specs], project),
    },
  };
}

/** Installs one package with what its example imports, compiles the example and runs it on every Node. */
async function tryOne({ dir, manifest }, { files, add }, beside, runtimes) {
  const project = mkdtempSync(join(folder, "project-"));
  const example = exampleIn(dir);
  const empty = { name: "empty", version: "1.0.0", private: true, type: "module" };
  const all = {
    "package.json": JSON.stringify(empty),
    "tsconfig.json": JSON.stringify(TSCONFIG),
    ...files,
  };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(project, name), text);
  writeFileSync(join(project, `${example.name}.ts`), example.code);
  await run("git", ["init", "--quiet"], project);
  await add(project, [...new Set([manifest.name, ...example.imports]), ...beside]);
  await run(join(project, "node_modules/.bin/tsc"), ["--project", "."], project);
  const ran = [];
  for (const { version, binary } of COMPILED_ONLY.includes(example.name) ? [] : runtimes) {
    // An example may make a loop, which is not made twice.
    rmSync(join(project, ".workflow"), { recursive: true, force: true });
    const PATH = `${dirname(binary)}${delimiter}${env.PATH}`;
    requirePrinted(example, await run(binary, [`${example.name}.ts`], project, { PATH }));
    ran.push(version);
  }
  rmSync(project, { recursive: true, force: true });
  return ran.length > 0 ? `compiles, and runs on Node ${ran.join(", ")}` : "compiles";
}

try {
  const packed = await packAll();
  const runtimes = await fetchTools();
  const registry = await serveTarballs(packed);
  const others = (await run("npm", ["config", "get", "registry"], folder)).trim();
  const known = managers(registry.url, others);
  const beside = ["typescript", "@types/node"].map(
    (name) => `${name}@${json(join(root, "node_modules", name, "package.json")).version}`,
  );
  const failed = [];
  const named = positionals.length > 0 ? positionals : Object.keys(known);
  const chosen = packed.filter(
    ({ dir }) => values.only.length === 0 || values.only.includes(basename(dir)),
  );
  for (const manager of named) {
    for (const one of chosen) {
      const what = `${manager} ${one.manifest.name}`;
      try {
        console.log(`${what}: ${await tryOne(one, known[manager], beside, runtimes)}`);
      } catch (error) {
        failed.push(what);
        console.log(`${what}: ${error.message}`);
      }
    }
  }
  registry.close();
  const tried = `${chosen.length} packages with ${named.join(", ")}`;
  console.log(
    failed.length > 0
      ? `Failed: ${failed.join(", ")}.`
      : `${tried}: each installs, compiles and runs by itself.`,
  );
  process.exitCode = failed.length > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
