import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import {
  type AgentSession,
  isLoopError,
  type OpenOptions,
  type TurnEvent,
  type TurnResult,
} from "@ccw-loop/core";
import {
  type ModelScript,
  type ModelServer,
  type OfflineHome,
  type OfflineHomeOptions,
  offlineCodexHome,
  startModelServer,
  type TempRepo,
  tempRepo,
} from "@ccw-loop/testkit";
import type { TestContext } from "vitest";
import { type CodexLimits, type CodexOptions, codexAgent } from "../src/index.ts";
import { nativePackage } from "../src/launch/codex-binary.ts";

/**
 * The real Codex: the one that CCW_LOOP_TEST_CODEX names (to try another version), or the one that is
 * installed as a development dependency. Throws when it is missing.
 */
export function realCodex(): string {
  if (process.env.CCW_LOOP_TEST_CODEX) return process.env.CCW_LOOP_TEST_CODEX;
  const native = nativePackage(process.platform, process.arch);
  if (!native) throw new Error(`Codex is not built for ${process.platform}-${process.arch}.`);
  const wrapper = createRequire(import.meta.filename).resolve("@openai/codex/package.json");
  const folder = dirname(createRequire(wrapper).resolve(`${native.name}/package.json`));
  const program = join(folder, native.program);
  if (!existsSync(program)) throw new Error(`The real Codex is not installed at ${program}.`);
  return program;
}

/** False only when somebody without the program says so; a missing program is a failure otherwise. */
export const withCodex = process.env.CCW_LOOP_NO_CODEX !== "1";
if (!withCodex) console.log("CCW_LOOP_NO_CODEX=1: the tests on the real Codex do not run.");

/** Short enough for tests, long enough for a busy machine. */
const QUICK: Partial<CodexLimits> = { backoffMs: 20, backoffMaxMs: 100 };

/** A project with a bug and a test that finds it. */
export const PROJECT = {
  "add.mjs": "export const add = (a, b) => a - b;\n",
  "test.mjs": `import { add } from "./add.mjs";
if (add(2, 3) !== 5) throw new Error("2 + 3 is " + add(2, 3));
console.log("passed");
`,
};

export interface StageOptions extends Omit<CodexOptions, "limits"> {
  script: ModelScript;
  limits?: Partial<CodexLimits>;
  home?: OfflineHomeOptions;
  files?: Readonly<Record<string, string>>;
}

/** A scripted model, a quiet Codex home, a project and an agent on them. */
export interface Stage extends AsyncDisposable {
  model: ModelServer;
  home: OfflineHome;
  repo: TempRepo;
  options: CodexOptions;
  /** Everything that any session told, oldest first. */
  events: TurnEvent[];
  open(options?: Partial<OpenOptions>): Promise<AgentSession>;
  /** One turn whose events are recorded. */
  run(session: AgentSession, prompt: string, more?: RunMore): Promise<TurnResult>;
}

interface RunMore {
  signal?: AbortSignal;
  outputSchema?: Record<string, unknown>;
}

export async function stage({ script, home, files, ...options }: StageOptions): Promise<Stage> {
  const model = await startModelServer({ script });
  const codexHome = await offlineCodexHome(model.baseUrl, home);
  const repo = await tempRepo(files ?? PROJECT);
  const events: TurnEvent[] = [];
  const sessions: AgentSession[] = [];
  const agentOptions: CodexOptions = {
    binary: realCodex(),
    passEnv: Object.keys(codexHome.env),
    ...options,
    env: { ...process.env, ...codexHome.env, ...options.env },
    limits: { ...QUICK, ...options.limits },
  };
  const onEvent = (event: TurnEvent) => events.push(event);
  const idle = new AbortController().signal;
  return {
    ...{ model, repo, events, home: codexHome, options: agentOptions },
    async open(more = {}) {
      const wanted = { cwd: repo.path, instructions: "Work.", onEvent, ...more };
      const session = await openHere(agentOptions, wanted);
      sessions.push(session);
      return session;
    },
    run: (session, prompt, more = {}) => session.run(prompt, { signal: idle, onEvent, ...more }),
    async [Symbol.asyncDispose]() {
      await Promise.all(sessions.map((session) => session.close()));
      await Promise.all([model.close(), codexHome.remove(), repo.remove()]);
    },
  };
}

/** Where Codex cannot confine commands (many containers), tests that do not ask for it go on without. */
async function openHere(options: CodexOptions, wanted: OpenOptions): Promise<AgentSession> {
  try {
    return await codexAgent(options).open(wanted);
  } catch (error) {
    if (options.sandbox || !isLoopError(error, "sandbox_unavailable")) throw error;
    console.log(`This machine has no sandbox, the test runs without: ${error.message}`);
    return codexAgent({ ...options, sandbox: "danger-full-access" }).open(wanted);
  }
}

/** A session that is confined by Codex; skips the test on a machine where that cannot be. */
export async function confined(
  { options, repo, events }: Stage,
  context: TestContext,
  more: Partial<OpenOptions> = {},
): Promise<AgentSession & AsyncDisposable> {
  try {
    const onEvent = (event: TurnEvent) => events.push(event);
    const wanted = { cwd: repo.path, instructions: "", onEvent, ...more };
    const session = await codexAgent(options).open(wanted);
    return Object.assign(session, { [Symbol.asyncDispose]: () => session.close() });
  } catch (error) {
    context.skip(isLoopError(error, "sandbox_unavailable"), "This machine has no sandbox.");
    throw error;
  }
}

/** The events of one type, in order. */
export function only<T extends TurnEvent["type"]>(events: readonly TurnEvent[], type: T) {
  return events.filter((event): event is Extract<TurnEvent, { type: T }> => event.type === type);
}
