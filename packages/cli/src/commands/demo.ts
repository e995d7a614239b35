import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { shellWord } from "@ccw-loop/core";
import { packageFolder } from "../own-package.ts";
import { type Context, openContext } from "../runtime/context.ts";
import type { Io } from "../runtime/io.ts";
import type { Answer } from "../runtime/perform.ts";
import { commandAnywhere } from "../runtime/program-call.ts";
import { loopFolder } from "../runtime/project-root.ts";
import { drive } from "./drive.ts";

/** The project and the agent's script. */
const FIXTURES = fileURLToPath(new URL("demo/", packageFolder));
const TASK = "Make the shopping cart charge the right price: all tests of the project pass.";

/** A whole loop in a fresh project: everything is real but the agent, which plays a script. */
export async function demo(context: Context): Promise<Answer> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "ccw-loop-demo-")));
  await cp(join(FIXTURES, "cart"), folder, { recursive: true });
  const isRepository = await makeRepository(folder);
  for (const line of introduction(folder)) context.say(line);
  const { json } = context;
  const inside = openContext("demo", context.io, { cwd: folder, json, color: context.color });
  try {
    const loops = await inside.parts.loops();
    const { loop_id } = await loops.create({
      id: "demo",
      title: "Fix the shopping cart",
      description: TASK,
      settings: { mode: "auto", agent: `scripted:${join(FIXTURES, "agent.yaml")}` },
    });
    const next = nextSteps(folder, isRepository);
    const answer = await drive(inside, loop_id, { next });
    if (!answer.data) return answer;
    const files = await filesOf(loopFolder(folder));
    const text = `${answer.text}\n\n${ending(folder, files, context.io).join("\n")}`;
    return { ...answer, data: { ...answer.data, project: folder, loop_files: files }, text };
  } finally {
    await inside.close();
  }
}

function introduction(folder: string): string[] {
  return [
    "This is a demo. The agent is SCRIPTED: it plays back a file and asks no model. Everything else is",
    "real: the project with its failing tests, the edits, the test runs, the state files, the receipt.",
    `Project: ${folder}`,
    "",
  ];
}

function nextSteps(folder: string, isRepository: boolean): string[] {
  const word = shellWord(folder);
  return [
    ...(isRepository ? [`git -C ${word} diff`] : []),
    "ccw-loop show demo --receipt",
    `rm -rf ${word} # when you have seen enough`,
  ];
}

function ending(folder: string, files: string[], { caller }: Io): string[] {
  const call = caller ? commandAnywhere(caller) : "ccw-loop";
  return [
    `Files of the loop, in ${loopFolder(folder)}`,
    ...files.map((file) => `  ${file}`),
    "",
    "The agent of this demo was scripted. With Codex, in a project of yours:",
    "  npm install -g @openai/codex && codex login",
    `  ${call} doctor`,
    `  ${call} run --auto "what is to be done"`,
  ];
}

/** Makes the project a repository with one commit; false without git, where the loop works in a plain folder as well. */
async function makeRepository(folder: string): Promise<boolean> {
  const git = (...args: string[]) => promisify(execFile)("git", args, { cwd: folder });
  const settings = ["user.name=ccw-loop demo", "user.email=demo@localhost", "commit.gpgsign=false"];
  const own = [...settings, "core.hooksPath=/dev/null"].flatMap((setting) => ["-c", setting]);
  try {
    await git("init", "--quiet");
    await git("add", "--all");
    await git(...own, "commit", "--quiet", "-m", "A cart with failing tests");
    return true;
  } catch {
    return false;
  }
}

/** Everything below a folder, sorted; folders of many files as one line. */
async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const nested = entries.map(async (entry) => {
    if (!entry.isDirectory()) return [entry.name];
    const inside = await readdir(join(folder, entry.name));
    if (!entry.name.endsWith(".progress")) return [`${entry.name}/ (${inside.length} files)`];
    return inside.map((name) => `${entry.name}/${name}`);
  });
  return (await Promise.all(nested)).flat().sort();
}
