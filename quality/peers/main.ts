/**
 * Other programs that drive an agent in a loop, on the same job, with the same agent, beside ours: `npm run bench:peers`, with
 * `-- --only NAME`, `--rounds N`, `--write` (the table into docs/peers.md). Installs them from the registry; build first.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { builtCopy } from "../../packages/cli/scripts/built-copy.ts";
import { chosenBy, exitOnSignals, numberOf } from "../support/command.ts";
import { environment } from "../support/environment.ts";
import { machine, median } from "../support/figures.ts";
import { temporaryFolder } from "../support/folders.ts";
import type { Installed } from "../support/npm-install.ts";
import { columns, Page } from "../support/report-page.ts";
import { install } from "./src/install.ts";
import { honest, lies } from "./src/lies.ts";
import { type Played, playJob, playLie, type Surroundings } from "./src/play.ts";
import type { Tool } from "./src/tool.ts";
import { tools } from "./src/tools.ts";

const STARTS = 9;

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    rounds: { type: "string", default: "5" },
    write: { type: "boolean", default: false },
  },
});
const rounds = numberOf(values.rounds, "rounds");
exitOnSignals();
const base = temporaryFolder("peers");
const installedAt = ({ name }: Tool) => join(base, "installed", name.replaceAll(/\W+/g, "-"));
const at: Surroundings = { base, installedAt, launcher: await builtCopy(join(base, "cli")) };

interface Row {
  tool: Tool;
  installed: Installed | undefined;
  jobs: Played[];
  starts: number[];
  falseDone: string[];
}

const rows: Row[] = [];
for (const tool of chosenBy(tools, values.only)) {
  const installed = install(installedAt(tool), tool);
  if (installed === "failed") continue;
  const said = await playLie(tool, at, honest);
  if (!said.isDone) {
    console.error(`${tool.name} does not end an honest job, and is left out: ${tail(said)}`);
    continue;
  }
  rows.push({ tool, installed, jobs: [], starts: [], falseDone: [] });
  console.error(`${tool.name}: ${installed?.versions ?? ""}`);
}

const bare: number[] = [];
for (let round = -1; round < STARTS; round++) {
  const took = startOf([process.execPath, "-e", "0"]);
  if (round >= 0) bare.push(took);
  for (const { tool, starts } of rows) {
    const places = { installed: installedAt(tool), launcher: at.launcher, agent: "", beside: base };
    if (tool.version && round >= 0) starts.push(startOf(tool.version(places)));
  }
}
for (let round = 0; round < rounds; round++) {
  for (const { tool, jobs } of round % 2 ? rows.toReversed() : rows) {
    const played = await playJob(tool, at, round);
    if (played.isDone) jobs.push(played);
    else console.error(`${tool.name} did not end the job: ${tail(played)}`);
  }
}
for (const { tool, falseDone } of rows) {
  for (const lie of lies) {
    const { isDone } = await playLie(tool, at, lie);
    if (isDone) falseDone.push(lie.name);
    console.error(`${tool.name}, ${lie.name}: ${isDone ? "says done" : "does not"}`);
  }
}

const text = `${table(rows)}\n\nmachine: ${machine()}\n`;
console.log(text);
if (values.write) new Page("peers.md").write(`\n${text}\n`);
process.exit(
  rows.some(({ tool, jobs }) => tool.packages === "ours" && jobs.length < rounds) ? 1 : 0,
);

function startOf([program = "", ...args]: readonly string[]): number {
  const began = performance.now();
  const { status } = spawnSync(program, args, { cwd: base, env: environment(), stdio: "ignore" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status}.`);
  return performance.now() - began;
}

function tail({ exit, stdout, stderr }: Played): string {
  return `exit code ${exit}\n${`${stdout}\n${stderr}`.slice(-1500)}`;
}

function table(all: readonly Row[]): string {
  const floor = all.find(({ tool }) => tool.packages.length === 0);
  const of = (row: Row | undefined, key: "wall" | "cpu" | "memory") =>
    median((row?.jobs ?? []).map((one) => one[key]));
  const figure = (value: number, digits: number, unit = "") =>
    Number.isNaN(value) ? "–" : `${value.toFixed(digits)}${unit}`;
  return columns(
    [
      ...["tool", "version", "six edits", "to the shell loop", "CPU", "memory"],
      ...["start", "installed", `false done of ${lies.length}`],
    ],
    all.map((row) => [
      row.tool.name,
      row.installed?.versions ?? "–",
      figure(of(row, "wall"), 2, " s"),
      figure(of(row, "wall") / of(floor, "wall"), 1),
      figure(of(row, "cpu"), 1, " s"),
      figure(of(row, "memory"), 0, " MB"),
      figure(median(row.starts) / median(bare), 1),
      row.installed ? `${row.installed.megabytes} MB, ${row.installed.packages} packages` : "–",
      `${row.falseDone.length}`,
    ]),
  );
}
