/**
 * What the proof costs beside one plain run of the tests: a small JavaScript project of six test files in a git repository, a
 * scripted agent that repairs the one defect, and the square with its checks. Once where the agent touched sources alone, once where
 * it adds a test as well. Every test file notes each of its starts, so the runs are those that were really made.
 * Run: `node quality/bench/cli/proof.ts`
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Receipt } from "@ccw-loop/core";
import { loopService } from "@ccw-loop/orchestrator";
import { fsStore } from "@ccw-loop/store-fs";
import { scriptedAgent } from "@ccw-loop/testkit";
import { verifier } from "@ccw-loop/verify";
import { gitWorkspace } from "@ccw-loop/workspace-git";
import { machine, median } from "../../support/figures.ts";
import { makeRepository, temporaryFolder, writeFiles } from "../../support/folders.ts";

const TEST_FILES = 6;
/** How long each test file takes at least. */
const FILE_MS = 200;
const ROUNDS = 3;

const base = temporaryFolder("bench");
/** Clean rooms have temporary folders of their own. */
const notes = join(
  temporaryFolder("notes", join(import.meta.dirname, "../../../node_modules")),
  "starts",
);

const moduleOf = (n: number, sign = "+") =>
  `export const add${n} = (a, b) => a ${sign} b;\nexport const twice${n} = (a) => add${n}(a, a);\n`;

const testOf = (n: number, more = "") => `import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { add${n}, twice${n} } from "../src/part${n}.js";

appendFileSync(${JSON.stringify(notes)}, ".");
test("adds ${n}", () => assert.equal(add${n}(1, 2), 3));
test("doubles ${n}", async () => {
  await setTimeout(${FILE_MS});
  assert.equal(twice${n}(4), 8);
});
${more}`;

function project(name: string): string {
  const dir = join(base, name);
  const files: Record<string, string> = {
    "package.json": JSON.stringify({ type: "module", private: true }),
  };
  for (let n = 0; n < TEST_FILES; n++) {
    files[`src/part${n}.js`] = moduleOf(n, n === 0 ? "-" : "+");
    files[`test/part${n}.test.js`] = testOf(n);
  }
  writeFiles(dir, files);
  makeRepository(dir, "begin");
  return dir;
}

/** Complete runs of the tests since the last call. */
function runsMade(): number {
  const starts = readFileSync(notes, "utf8").length;
  writeFileSync(notes, "");
  return starts / TEST_FILES;
}

/** Milliseconds of one plain run in the project as the loop left it. */
function plainRun(dir: string): number {
  const begin = performance.now();
  execFileSync("node", ["--test"], { cwd: dir, stdio: "ignore" });
  return performance.now() - begin;
}

/** A loop that writes these files; its last receipt, and what its VALIDATE took. */
async function prove(dir: string, files: Record<string, string>) {
  const steps = Object.entries(files).map(([path, content]) => ({ write: { path, content } }));
  const tasks = [{ description: "repair the sum" }];
  const script = {
    turns: [
      { action: "INIT" as const, answer: { state_updates: { tasks } } },
      { action: "DEVELOP" as const, steps, answer: { state_updates: { summary: "repaired" } } },
    ],
  };
  const store = fsStore({ root: dir });
  const service = loopService({
    store,
    agent: async () => scriptedAgent({ script }),
    verifier: verifier(),
    workspace: async (folder) => gitWorkspace(folder),
    cwd: dir,
  });
  const settings = { mode: "auto" as const, verify: "node --test" };
  const { loop_id } = await service.create({ description: "Repair the sum", settings });
  let validated = Number.NaN;
  const state = await service.run(loop_id, {
    onEvent: (live) => {
      if (live.kind !== "recorded") return;
      const { event } = live.recorded;
      if (event.type === "baseline.measured") runsMade();
      if (event.type === "action.completed" && event.action === "VALIDATE") {
        validated = event.active_ms;
      }
    },
  });
  await store.close();
  const receipt = state.receipts?.at(-1);
  if (state.outcome?.code !== "proven" || !receipt?.square) {
    throw new Error(`The loop is not proven: ${state.waiting?.prompt ?? receipt?.reason}`);
  }
  return { receipt, square: receipt.square, validated, made: runsMade() };
}

function partsOf({ square }: Receipt): string {
  const { start, verdict, counterfactual } = square?.cells ?? {};
  const cells = Object.entries({ start, verdict, counterfactual }).flatMap(([name, cell]) =>
    cell ? [`${name} ${(cell.duration_ms / 1000).toFixed(1)} s`] : [],
  );
  const checks = (square?.checks ?? [])
    .filter(({ result }) => result !== "not_run")
    .map(({ kind, duration_ms }) => `${kind} ${(duration_ms / 1000).toFixed(1)} s`);
  return [...cells, ...checks].join(", ");
}

const CASES: Record<string, Record<string, string>> = {
  "sources alone": { "src/part0.js": moduleOf(0) },
  "sources and a test": {
    "src/part0.js": moduleOf(0),
    "test/part0.test.js": testOf(0, 'test("adds less", () => assert.equal(add0(1, -3), -2));\n'),
  },
};

console.log(`machine: ${machine()}`);
for (const [name, files] of Object.entries(CASES)) {
  const ratios: number[] = [];
  const plains: number[] = [];
  let last: Awaited<ReturnType<typeof prove>> | undefined;
  for (let round = 0; round < ROUNDS; round++) {
    const dir = project(`${name.replaceAll(" ", "-")}-${round}`);
    last = await prove(dir, files);
    const plain = median([plainRun(dir), plainRun(dir), plainRun(dir)]);
    runsMade();
    const inPlace = (last.receipt.runs ?? 1) * last.square.cells.present.duration_ms;
    plains.push(plain);
    ratios.push((last.validated - inPlace) / plain);
  }
  if (!last) continue;
  const extra = last.made - (last.receipt.runs ?? 1);
  const goals = name === "sources alone" ? [" (goal: 3)", " (goal: 2.5)"] : ["", ""];
  console.log(`\n${name}: a plain run takes ${(median(plains) / 1000).toFixed(2)} s`);
  console.log(`runs of the tests in place:     ${last.receipt.runs ?? 1}, before COMPLETE`);
  console.log(`runs of the proof:              ${extra.toFixed(2)}${goals[0]}`);
  console.log(
    `time of the proof (median):     ${median(ratios).toFixed(2)} × a plain run${goals[1]}`,
  );
  console.log(`all rounds:                     ${ratios.map((r) => r.toFixed(2)).join(", ")}`);
  console.log(`in the last round:              ${partsOf(last.receipt)}`);
}
