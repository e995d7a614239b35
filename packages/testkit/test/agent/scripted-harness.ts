import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import type { AgentHarness, StagedTurn } from "../../src/contracts.ts";
import { type AgentScriptInput, scriptedAgent } from "../../src/index.ts";

/** The scripted agent under its own contract: each staged turn becomes a script file of one turn. */
export async function scriptedHarness(): Promise<AgentHarness> {
  const root = await mkdtemp(join(tmpdir(), "scripted-agent-"));
  const file = join(root, "script.yaml");
  const home = join(root, "sessions");
  const now = new Date();
  const stage = (turn: StagedTurn) => writeFile(file, stringify({ turns: [asScript(turn, now)] }));
  await stage({ end: { answer: "Nothing was staged." } });
  return {
    cwd: root,
    agent: () => scriptedAgent({ file, home, now: () => now }),
    stage,
    seen: () => newestFile(home),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

function asScript(
  { edit, command, end, tokens }: StagedTurn,
  now: Date,
): AgentScriptInput["turns"][number] {
  const steps: NonNullable<AgentScriptInput["turns"][number]["steps"]> = [];
  if (edit) steps.push({ write: edit });
  if (command !== undefined) steps.push({ run: command });
  if (end === "hang") steps.push({ say: "Let me think" }, { hang: true });
  if (end === "die") steps.push({ crash: true });
  if (typeof end === "object" && "fail" in end) {
    const { fail: code, resetsAt } = end;
    const resets_in = resetsAt && (resetsAt.getTime() - now.getTime()) / 1000;
    steps.push({ fail: { code, resets_in } });
  }
  const answer = typeof end === "object" && "answer" in end ? end.answer : undefined;
  return { steps, answer, usage: tokens, repeat: true };
}

async function newestFile(folder: string): Promise<string> {
  const paths = (await readdir(folder)).map((name) => join(folder, name));
  const found = await Promise.all(
    paths.map(async (path) => ({ path, at: (await stat(path)).mtimeMs })),
  );
  const newest = found.sort((a, b) => b.at - a.at)[0];
  return newest ? readFile(newest.path, "utf8") : "";
}
