import { existsSync, readlinkSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { basename, delimiter, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { acpAgent, PROFILES, type Sandbox } from "@ccw-loop/agent-acp";
import type { Agent } from "@ccw-loop/core";
import { commandLineOf, runningProcesses } from "@ccw-loop/processes";
import { tempRepo } from "@ccw-loop/testkit";
import type { AgentHarness, StagedFailure, StagedTurn } from "@ccw-loop/testkit/contracts";
import { writeFiles } from "../../../packages/testkit/src/temp-folders.ts";
import { type Script, type ScriptedModel, scriptedModel } from "../model/server.ts";
import type { Move } from "../model/tools.ts";
import type { Recipe } from "./recipes.ts";

/** A real agent in a home folder of its own, whose model is a script. */
export interface RealAgent extends AsyncDisposable {
  model: ScriptedModel;
  home: string;
  /** What it is started with. */
  env: Readonly<Record<string, string>>;
  /** `hidden` are folders that it is not even to read where it is contained. */
  agent(sandbox: Sandbox, hidden?: readonly string[]): Agent;
}

/** Long enough for a busy machine: some take seconds of a whole core to begin. */
export const PATIENT = { initializeMs: 180_000, openMs: 180_000 };

/** Codex does not work in a home below the folder for temporary files. */
const HOMES = "/var/tmp";

/** The folder of the agent's program: below `from` where it was installed there, else on PATH; null where there is none. */
export function folderOf({ name }: Pick<Recipe, "name">, from: string | undefined): string | null {
  const [program = name] = PROFILES[name].command;
  const installed = [name, "."].map((folder) => join(from ?? "", folder, "node_modules/.bin"));
  const folders = [
    ...(from === undefined ? [] : installed),
    ...(process.env.PATH ?? "").split(delimiter),
  ];
  return folders.find((folder) => existsSync(join(folder, program))) ?? null;
}

/** Its home is empty but for the settings of its recipe. `folder` has its program. */
export async function realAgent(recipe: Recipe, folder: string): Promise<RealAgent> {
  const model = await scriptedModel();
  const home = await realpath(await mkdtemp(join(HOMES, `ccw-home-${recipe.name}-`)));
  const files = Object.entries(recipe.files(model.url)).map(([path, content]) => [
    path,
    typeof content === "string" ? content : JSON.stringify(content, null, 2),
  ]);
  await writeFiles(home, Object.fromEntries(files));
  const path = [dirname(process.execPath), folder, process.env.PATH ?? ""].join(delimiter);
  const env = { HOME: home, PATH: path, LANG: "C.UTF-8", ...recipe.env(model.url) };
  return {
    ...{ model, home, env },
    agent: (sandbox, hidden = []) =>
      acpAgent({ profile: PROFILES[recipe.name], sandbox, hidden, env, limits: PATIENT }),
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]();
      await rm(home, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** The harness of the contract suite: a project of its own for each test. */
export async function harnessOf(
  { name, losesFirstMinute }: Recipe,
  { model, agent }: RealAgent,
  sandbox: Sandbox,
): Promise<AgentHarness> {
  const repo = await tempRepo();
  return {
    cwd: repo.path,
    agent: () => agent(sandbox),
    stage: async (turn) => model.play(scriptOf(turn, repo.path, name), turn.tokens),
    seen: async () => model.requests.findLast(({ isAside }) => !isAside)?.conversation ?? "",
    untilResumable: async () => {
      if (losesFirstMinute) await delay(60_000 - (Date.now() % 60_000));
    },
    [Symbol.asyncDispose]: repo.remove,
  };
}

/** One error for every dialect: each looks at the field that it knows. */
export const FAILURES: Record<
  Exclude<StagedFailure, "usage_limit">,
  Extract<Move, { fail: object }>
> = {
  agent_failed: failing(500, "The service is overloaded", "api_error", "INTERNAL"),
  agent_unauthorized: failing(401, "Invalid API key", "authentication_error", "UNAUTHENTICATED"),
  rate_limited: failing(429, "Rate limit reached", "rate_limit_error", "RESOURCE_EXHAUSTED"),
  context_overflow: failing(
    400,
    "This model's maximum context length is 1000 tokens: the prompt is too long",
    "context_length_exceeded",
    "INVALID_ARGUMENT",
  ),
};

function failing(code: number, message: string, type: string, status: string) {
  return { fail: { status: code, error: { message, type, code, status } } };
}

function scriptOf({ edit, command, end }: StagedTurn, cwd: string, name: Recipe["name"]): Script {
  const moves: Move[] = [];
  if (edit) moves.push({ write: { path: join(cwd, edit.path), content: edit.content } });
  if (command !== undefined) moves.push({ run: command });
  return () => moves.shift() ?? lastMove(end, cwd, name);
}

function lastMove(end: StagedTurn["end"], cwd: string, name: Recipe["name"]): Move {
  if (end === "hang") return { hang: "Let me see" };
  if (end === "die") {
    process.kill(agentIn(cwd, name), "SIGKILL");
    return { hang: "" };
  }
  if ("answer" in end) return { say: end.answer };
  if (end.fail === "usage_limit") throw new Error("No agent tells exactly when a limit ends.");
  return FAILURES[end.fail];
}

/** Programs that have an agent's command among their words. */
const STARTERS: readonly string[] = ["bwrap", "sh"];

/** The process that speaks the protocol: of those that work in the project the outermost one that is not the sandbox's. */
export function agentIn(cwd: string, name: Recipe["name"]): number {
  const [program] = PROFILES[name].command as readonly [string, ...string[]];
  const there = runningProcesses().filter((one) => worksIn(cwd, one.pid));
  const agents = there.filter((one) => {
    const words = commandLineOf(one);
    return words.includes(program) && !STARTERS.includes(basename(words.split(" ")[0] ?? ""));
  });
  const pids = new Set(agents.map(({ pid }) => pid));
  const outermost = agents.find(({ parent }) => !pids.has(parent));
  if (!outermost) throw new Error(`No ${program} works in ${cwd}.`);
  return outermost.pid;
}

function worksIn(cwd: string, pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === cwd;
  } catch {
    return false;
  }
}
