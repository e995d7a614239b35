#!/usr/bin/env node
/**
 * Installs the packed packages together in an empty folder, as a user of npm gets them, runs the demo from there, and
 * plays the first TypeScript example of each package's README as it is printed: it compiles with every strict check of
 * TypeScript, runs, and says what stands behind its lines. `node scripts/x.mjs exec node scripts/try-packages.mjs`; needs a
 * build first (`turbo run build`).
 */
import { spawn, spawnSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { COMPILED_ONLY, exampleIn, requirePrinted, TSCONFIG } from "./readme-examples.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), "ccw-packages-"));
const home = join(folder, "home");
const project = join(folder, "project");
mkdirSync(home);
mkdirSync(project);

function run(command, args, cwd, env = process.env) {
  console.log(`> ${command} ${args.join(" ")}`);
  const { status, stdout, error } = spawnSync(command, args, {
    cwd,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (error || status !== 0) {
    console.error(stdout);
    throw new Error(`${command} ${args[0]} ended with ${status ?? error}`);
  }
  return stdout;
}

/** Starts `serve` and looks whether its first page and what that loads are there. */
async function showsDashboard(env) {
  const bin = join(project, "node_modules/@ccw-loop/cli/bin/ccw-loop.js");
  const server = spawn(process.execPath, [bin, "serve", "--port", "0", "--no-drive"], {
    cwd: project,
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  try {
    let said = "";
    for await (const text of server.stderr.setEncoding("utf8")) {
      said += text;
      const [, url] = /^Open the dashboard: (\S+)$/m.exec(said) ?? [];
      if (url === undefined) continue;
      const [, script] = /src="(\/assets\/[^"]+)"/.exec(await (await fetch(url)).text()) ?? [];
      const loaded = script === undefined ? undefined : await fetch(new URL(script, url));
      if (!loaded?.ok) throw new Error(`serve shows no dashboard at ${url}`);
      return;
    }
    throw new Error(`serve ended: ${said}`);
  } finally {
    server.kill("SIGKILL");
  }
}

/** Plays the examples where the packages are installed. */
function playExamples(dirs, env) {
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify(TSCONFIG));
  const examples = dirs.map(exampleIn);
  for (const { name, code } of examples) writeFileSync(join(project, `${name}.ts`), code);
  run("npx", ["--no-install", "tsc", "--project", "."], project, env);
  run("git", ["init", "--quiet"], project, env);
  for (const example of examples) {
    if (COMPILED_ONLY.includes(example.name)) continue;
    requirePrinted(example, run("node", [`${example.name}.ts`], project, env));
  }
  console.log(
    `${examples.length} examples compile, ${examples.length - COMPILED_ONLY.length} run as printed.`,
  );
}

try {
  const tarballs = [];
  const dirs = [];
  for (const file of globSync("{packages,apps}/*/package.json", { cwd: root })) {
    const dir = join(root, dirname(file));
    if (JSON.parse(readFileSync(join(dir, "package.json"), "utf8")).private) continue;
    const tarball = join(folder, `${basename(dir)}.tgz`);
    run("pnpm", ["pack", "--out", tarball], dir);
    tarballs.push(tarball);
    dirs.push(dir);
  }
  const empty = { name: "empty", private: true, type: "module" };
  writeFileSync(join(project, "package.json"), `${JSON.stringify(empty)}\n`);
  const env = { ...process.env, HOME: home, npm_config_cache: join(home, "cache") };
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
  const versions = ["typescript", "@types/node"].map((name) => {
    const file = join(root, "node_modules", name, "package.json");
    return `${name}@${JSON.parse(readFileSync(file, "utf8")).version}`;
  });
  run("npm", ["install", ...quiet, ...tarballs, ...versions], project, env);
  console.log(run("npx", ["--no-install", "ccw-loop", "--version"], project, env).trim());
  run("npx", ["--no-install", "ccw-loop-tui", "--help"], project, env);
  const demo = run("npx", ["--no-install", "ccw-loop", "demo"], project, env);
  if (!demo.includes("completed")) throw new Error(`The demo did not complete:\n${demo}`);
  console.log(demo.trim().split("\n").slice(-6).join("\n"));
  await showsDashboard(env);
  playExamples(dirs, env);
  console.log(
    "The packed packages install together, the demo completes, serve shows the dashboard, and the examples run as printed.",
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
