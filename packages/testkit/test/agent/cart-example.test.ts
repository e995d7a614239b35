import { execFile } from "node:child_process";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import {
  comparePredictions,
  DevelopUpdates,
  debugUpdates,
  InitUpdates,
  parseActionResult,
} from "@ccw-loop/core";
import { expect, it } from "vitest";
import { scriptedAgent } from "../../src/index.ts";
import { ask, emptyFolder } from "./conversations.ts";

const repository = join(import.meta.dirname, "../../../..");
const script = join(repository, "packages/cli/demo/agent.yaml");
const project = join(repository, "packages/cli/demo/cart");

/** The names of the project's tests that fail now. */
async function failingTests(cwd: string): Promise<string[]> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const tap = await new Promise<string>((resolve) => {
    const args = ["--test", "--test-reporter=tap"];
    execFile(process.execPath, args, { cwd, env }, (_error, stdout) => resolve(stdout));
  });
  expect(tap).toMatch(/^# tests 5$/m);
  return [...tap.matchAll(/^not ok \d+ - (.*)$/gm)].map(([, name]) => name ?? "");
}

it("repairs the cart as its comment says", async () => {
  const cwd = await emptyFolder();
  await cp(project, cwd, { recursive: true });
  const agent = scriptedAgent({ file: script, pace: 0 });
  const played: unknown[] = [];
  /** A conversation of its own for each action: the script must also serve a loop with fresh sessions. */
  const updatesOf = async (action: string, attempts = 1) => {
    const session = await agent.open({ cwd, instructions: "" });
    const prompt = `# ACTION: ${action}\nand much more`;
    let answer = await ask(session, prompt);
    for (let i = 1; i < attempts; i += 1) answer = await ask(session, prompt);
    await session.close();
    const parsed = parseActionResult(answer.text);
    if (!parsed.ok) throw new Error(parsed.problem);
    expect(`${parsed.result.action} ${parsed.result.status}`).toBe(
      `${action.split(" ")[0]} success`,
    );
    played.push(...answer.events.filter((event) => event.type === "command.completed"));
    return parsed.result.state_updates;
  };

  expect(await failingTests(cwd)).toHaveLength(4);
  const { tasks } = InitUpdates.parse(await updatesOf("INIT"));
  expect(tasks).toHaveLength(2);
  for (const task of ["task-001", "task-002"]) {
    const { summary } = DevelopUpdates.parse(await updatesOf(`DEVELOP ${task}`, 2));
    expect(summary).not.toBe("");
  }
  expect(await failingTests(cwd)).toEqual([
    "three stickers for 0.10 cost 0.30",
    "a discounted price is rounded to whole cents",
  ]);

  const { hypotheses: stated } = debugUpdates().parse(await updatesOf("DEBUG", 2));
  expect(stated.map(({ id, status, probe }) => `${id} ${status} ${typeof probe?.command}`)).toEqual(
    ["H1 pending string", "H2 pending string"],
  );
  const debug = await updatesOf("DEBUG VERDICT");
  expect(debug).toMatchObject({ confirmed_hypothesis: "H1", fix_tasks: [{}] });

  await updatesOf("DEVELOP fix-001");
  expect(await failingTests(cwd)).toEqual([]);
  expect(played).toHaveLength(5);
}, 60_000);

it("predicts what its probes really print", async () => {
  const cwd = await emptyFolder();
  await cp(project, cwd, { recursive: true });
  const session = await scriptedAgent({ file: script, pace: 0 }).open({ cwd, instructions: "" });
  for (const task of ["task-001", "task-002"]) await ask(session, `# ACTION: DEVELOP ${task}`);
  const { text } = await ask(session, "# ACTION: DEBUG");
  const { hypotheses } = debugUpdates().parse(JSON.parse(text).state_updates);
  const find = (pattern: string, output: string) =>
    new RegExp(pattern, "mu").exec(output)?.[1] ?? null;
  const shows = ["holds", "does_not_hold"];
  for (const [i, { probe }] of hypotheses.entries()) {
    const { signal } = new AbortController();
    const run = await session.exec?.(probe?.command ?? "", { signal, timeoutMs: 60_000 });
    if (!probe || !run) throw new Error("It has a probe, and a sandbox.");
    expect(comparePredictions(probe, run, find)).toBe(shows[i]);
  }
  await session.close();
}, 60_000);
