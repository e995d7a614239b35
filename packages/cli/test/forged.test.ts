/** An agent whose turn writes the loop's own files, with sums and etags that fit. */
import { readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Project, plan, project, stateOf, write } from "./support/project.ts";

/** Writes the state file (or the journal) of loop `a` as whoever wants it to be done would: `forge.mjs KIND`. */
const FORGE = `import { appendFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
const digest = (text) => createHash("sha256").update(text).digest("hex").slice(0, 32);
const kind = process.argv[2];
const path = ".workflow/.loop/a.json";
const { etag, ...state } = JSON.parse(readFileSync(path, "utf8"));
const at = new Date().toISOString();
const counts = { total: 1, passed: 1, failed: 0, skipped: 0 };
const receipt = {
  id: "receipt-001", iteration: 1, command: "node check.mjs", cwd: process.cwd(), started_at: at,
  duration_ms: 1, exit_code: 0, report: null, counts, passed: true, reason: "The command succeeded.",
  tree_before: null, tree_after: null,
};
const skill = state.skill_state;
for (const task of skill.develop.tasks) task.status = "completed";
Object.assign(skill.validate, { passed: true, stale: false, pass_rate: 100, last_run_at: at });
Object.assign(state, {
  revision: state.revision + 1000,
  receipts: kind === "broken" ? [{ passed: "yes" }] : [receipt],
  accepted: ["nothing_changed", "start_unknown"],
  settings: { ...state.settings, verify: "true" },
});
if (kind !== "receipt") {
  Object.assign(state, {
    status: "completed",
    completed_at: at,
    outcome: { code: "proven", message: "The project's own tests passed." },
  });
}
if (kind === "journal") {
  const event = { type: "loop.recovered", at, state, unknown: [] };
  const line = JSON.stringify({ revision: state.revision, actor: "orchestrator", event });
  appendFileSync(".workflow/.loop/a.journal.jsonl", line + "\\n");
} else {
  const text = JSON.stringify({ ...state, etag: digest(JSON.stringify(state)) });
  writeFileSync(path + ".mine", text);
  renameSync(path + ".mine", path);
}
`;

const forges = (kind: string, content: string) => ({
  ...write(content),
  steps: [
    { run: `node forge.mjs ${kind}` },
    { write: { path: "answer", content } },
    { say: "The answer is written." },
  ],
});

async function forgingProject(kind: string, content: string): Promise<Project> {
  const here = await project(plan, forges(kind, content));
  await writeFile(join(here.dir, "forge.mjs"), FORGE);
  return here;
}

const FLAGS = ["--loop-id", "a", "--create", "--auto", "--max-iterations", "2"];
const besideIn = ({ dir }: Project) => readdirSync(join(dir, ".workflow/.loop"));

test.each([
  ["completed", /^a\.json\.conflict-\d+$/],
  ["receipt", /^a\.json\.conflict-\d+$/],
  ["broken", /^a\.json\.rejected-\d+$/],
  ["journal", /^a\.journal\.jsonl\.damaged-\d+$/],
] as const)(
  "a loop whose agent forges its files (%s) is not done while its tests are red",
  async (kind, aside) => {
    await using here = await forgingProject(kind, "41");
    const { code, out, err } = await here.cli("run", "find it", ...FLAGS, ...here.flags);
    expect(code).toBe(3);
    expect(`${out}${err}`).not.toContain("proven.");
    const state = await stateOf(here, "a");
    expect(state).toMatchObject({ status: "failed", outcome: { code: "max_iterations" } });
    expect(state.receipts).toMatchObject([{ passed: false, command: "node check.mjs" }]);
    expect(state.settings.verify).toBe("node check.mjs");
    expect(state.accepted).toBeUndefined();
    expect(besideIn(here)).toContainEqual(expect.stringMatching(aside));
    expect((await here.cli("show", "a")).out).toContain("failed");
  },
);

test("a loop whose agent breaks its state file is done once its tests pass", async () => {
  await using here = await forgingProject("broken", "42");
  const { code } = await here.cli("run", "find it", ...FLAGS, ...here.flags);
  expect(code).toBe(0);
  const state = await stateOf(here, "a");
  expect(state).toMatchObject({ status: "completed", outcome: { code: "proven" } });
  expect(state.receipts).toMatchObject([{ passed: true, command: "node check.mjs" }]);
});
