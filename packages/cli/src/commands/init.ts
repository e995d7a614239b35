import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { errorText, LoopError } from "@ccw-loop/core";
import { readPlain } from "@ccw-loop/processes/plain-file";
import { SettingValues, sanitizeLine } from "@ccw-loop/view";
import { z } from "zod";
import { settingsFor } from "../config/flags.ts";
import { projectFile, requireForProject, SETTING_KEYS } from "../config/settings.ts";
import type { SettingFlags } from "../program/options.ts";
import type { Context } from "../runtime/context.ts";
import { commandPrefix } from "../runtime/hints.ts";
import type { Answer } from "../runtime/perform.ts";
import { checkOtherAgents, chooseAgent } from "./agent-findings.ts";
import { checkTests, findingLines } from "./doctor.ts";

/** A file that `init` looked at. */
interface InitFile {
  /** Relative to the project. */
  path: string;
  done: "made" | "changed" | "kept";
  message: string;
}

const SCHEMA = "ccw-loop.schema.json";
const IGNORED = ".workflow/.loop/";

/**
 * Prepares a project: its file of settings with a schema for editors, and what git ignores; then a look at its tests and at
 * an agent that can work here: where none can, the settings name none. A file of settings that is there stays as it is.
 */
export async function init(
  context: Context,
  flags: SettingFlags & { skill?: SkillAgent[] },
): Promise<Answer> {
  const { root, cwd, io, hint } = context;
  const effective = await settingsFor(context, flags);
  const tests = await checkTests(context, effective.values);
  const { agent, works, findings } = await chooseAgent(context, effective);
  const given = SETTING_KEYS.filter((key) => effective.origins.get(key) === "flag");
  const said = Object.fromEntries(given.map((key) => [key, effective.values[key]]));
  const settings = { ...(works && { agent }), ...said };
  requireForProject(settings, root, io.env);
  const files = [
    await settingsFile(root, settings, given.length > 0),
    await schemaFile(root),
    ...(await ignoreFile(root)),
    ...(await Promise.all((flags.skill ?? []).map((agent) => skillFile(context, agent)))),
  ];
  const others = await checkOtherAgents(context, effective.values);
  const all = [...tests, ...findings, ...others].map((one) => ({
    ...one,
    next: one.next && hint(one.next),
  }));
  const isReady = all.every(({ status }) => status !== "problem");
  const text = [
    ...(cwd === root
      ? []
      : [`The project is ${root}, which ${cwd} lies in: it keeps loops or is a repository.`]),
    ...files.map(({ path, done, message }) => `${done.padEnd(7)}  ${path}: ${message}`),
    ...findingLines(all, context),
    "",
    hint(
      `${isReady ? "Start" : "When that is put right, start"} with: ccw-loop run "what is to be done"`,
    ),
  ];
  return { data: { project: root, files, findings: all }, text: text.join("\n") };
}

async function settingsFile(
  root: string,
  settings: Readonly<Record<string, unknown>>,
  hasFlags: boolean,
): Promise<InitFile> {
  const path = projectFile(root);
  const shown = relative(root, path);
  if (existsSync(path)) {
    const left = hasFlags ? " What the flags say is not in it: put it there yourself." : "";
    return { path: shown, done: "kept", message: `the settings that are there stay.${left}` };
  }
  await replace(path, { $schema: `./${SCHEMA}`, ...settings });
  return { path: shown, done: "made", message: "the settings of this project, for you to edit" };
}

/** The schema is ours: it is brought up to date. */
async function schemaFile(root: string): Promise<InitFile> {
  const path = join(dirname(projectFile(root)), SCHEMA);
  const shown = relative(root, path);
  const message = "what may stand in the settings, for your editor";
  const before = textOf(path);
  const text = jsonOf(settingsSchema());
  if (before === text) return { path: shown, done: "kept", message };
  await replace(path, settingsSchema());
  return { path: shown, done: before === null ? "made" : "changed", message };
}

/** The schema of a project's file of settings. */
export function settingsSchema(): Readonly<Record<string, unknown>> {
  const { properties, ...rest } = z.toJSONSchema(SettingValues, { io: "input" });
  return {
    ...rest,
    title: "Settings of CCW Loop",
    properties: { $schema: { type: "string" }, ...properties },
    additionalProperties: false,
  };
}

/** In a repository git is told to ignore the loops; nothing where it ignores them already, or where there is none. */
async function ignoreFile(root: string): Promise<InitFile[]> {
  const git = (...args: string[]) => promisify(execFile)("git", args, { cwd: root });
  const status = await git("check-ignore", "-q", `${IGNORED}x`).then(
    () => 0,
    ({ code }: { code?: unknown }) => code,
  );
  if (status !== 0 && status !== 1) return [];
  const path = ".gitignore";
  if (status === 0) return [{ path, done: "kept", message: `git ignores ${IGNORED} already` }];
  const before = textOf(join(root, path));
  const end = before === null || before === "" || before.endsWith("\n") ? "" : "\n";
  await replace(join(root, path), `${before ?? ""}${end}${IGNORED}\n`);
  const message = `git ignores ${IGNORED}, where loops are kept`;
  return [{ path, done: before === null ? "made" : "changed", message }];
}

/** What has another agent start loops by a command of its own. One that is there may have been edited. */
async function skillFile({ root, io }: Context, agent: SkillAgent): Promise<InitFile> {
  const shown = join(SKILL_FOLDERS[agent], "ccw-loop", "SKILL.md");
  const path = join(root, shown);
  const before = textOf(path);
  const text = skillText(commandPrefix(io, {}));
  if (before !== null) {
    const message =
      before === text ? "the skill is there" : "a skill of this name is there and stays";
    return { path: shown, done: "kept", message };
  }
  await replace(path, text);
  const call = agent === "claude" ? "/ccw-loop" : "$ccw-loop";
  return { path: shown, done: "made", message: `the skill; call it in ${agent} with ${call}` };
}

/** The text of a plain file; null where there is none. Throws `invalid_input` for a link, a folder or what cannot be read. */
function textOf(path: string): string | null {
  try {
    return readPlain(path)?.toString("utf8") ?? null;
  } catch (error) {
    throw new LoopError(
      "invalid_input",
      `${sanitizeLine(path)} cannot be read: ${errorText(error)}.`,
    );
  }
}

const jsonOf = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/** Writes a text, or a value as JSON, whole or not at all. Throws `system_unavailable` where that is not possible. */
async function replace(path: string, content: unknown): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(draft, typeof content === "string" ? content : jsonOf(content), { flag: "wx" });
    await rename(draft, path);
  } catch (cause) {
    const message = `${sanitizeLine(path)} cannot be written: ${errorText(cause)}. Make its folder writable for you, or prepare another project with --cwd FOLDER.`;
    throw new LoopError("system_unavailable", message, { cause });
  }
}

/** Agents that can be given the skill, with the folder in which each looks for skills of a project. */
export const SKILL_FOLDERS = {
  codex: ".agents/skills",
  claude: ".claude/skills",
} as const satisfies Record<string, string>;
export type SkillAgent = keyof typeof SKILL_FOLDERS;

/** The skill that has an agent start and follow loops by the command line. `ccw` is how that is typed in the project. */
export function skillText(ccw: string): string {
  return `---
name: ccw-loop
description: Start, continue and follow a CCW Loop, which has a coding agent work until the project's own tests prove the work. Use it when the user types /ccw-loop or $ccw-loop, or asks for work to be done in a loop or proven.
argument-hint: TASK="what is to be done" [--auto] [--loop-id=ID]
---

# CCW Loop

The loop does the work, in another agent's session; you start it, follow it and tell the user how it stands. Do not edit the
project while it runs. Only status \`completed\` means that the work is proven.

Arguments: \`TASK="…"\` (what is to be done), \`--auto\` (the rules choose every action), \`--loop-id=ID\` (go on with a loop).
Without a TASK and an id ask the user for the task. Give a task as it was said, on standard input, never inside of a shell word:

\`\`\`sh
${ccw} run --auto --json - <<'TASK'
what is to be done
TASK
\`\`\`

| arguments | command |
|---|---|
| \`--auto TASK="…"\` | \`${ccw} run --auto --json -\`, as above |
| \`--auto --loop-id=ID\` | \`${ccw} run --auto --json --loop-id ID\` |
| \`TASK="…"\` | \`${ccw} start --interactive --json -\`, then the steps below |
| \`--loop-id=ID\` | \`${ccw} resume ID --no-run --json\`, then the steps below |

A run takes minutes to hours. Start it in the background where you can, and look with \`${ccw} show ID --json\`.

## Without --auto: a person chooses every action

1. Start \`${ccw} supervise\` in the background. It drives the loop.
2. \`${ccw} show ID\` says what the loop asks. Show the user its question and the choices: develop, debug, validate, complete, exit.
3. Give the user's choice with \`${ccw} answer ID CHOICE\`, and go on with 2 until the loop has ended.

## How it ends

The exit code of a run is the verdict: 0 completed and proven, 1 failed, 3 a limit was reached, 4 a person is needed, 5 the agent or
the environment does not work (\`${ccw} doctor\` says what), 75 a usage limit. \`${ccw} show ID --receipt\` is the proof.

A question of the loop, above all an objection to the proof, is the user's to answer: tell it word for word and wait. Never answer
\`accept\`, never add \`--waive-tests\`, \`--known-red\` or \`--allow-test-changes\`, unless the user says so in this conversation.
\`${ccw} pause ID\` and \`${ccw} stop ID\` end the running action.
`;
}
