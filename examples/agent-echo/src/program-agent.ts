import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import {
  type Agent,
  type AgentSession,
  LoopError,
  type OpenOptions,
  type TurnEvent,
  type TurnOptions,
  type TurnResult,
} from "@ccw-loop/core";
import { type Processes, type ProcessTree, SessionWork } from "@ccw-loop/processes";

export interface ProgramAgentOptions {
  /** A command that reads a turn on stdin and prints its events, each as a line of JSON. */
  program: readonly string[];
  root: string;
  processes: Processes;
}

/** What a program reads in its first line; each line behind it is `{ steer: TEXT }`. */
export interface Turn {
  instructions: string;
  /** All prompts of the conversation, the newest last. */
  prompts: string[];
}

export function programAgent({ program, root, processes }: ProgramAgentOptions): Agent {
  const fileOf = (id: string) => join(root, ".workflow", "agent-echo", `${id}.json`);
  return {
    driver: "echo",
    check: async () => ({ ok: true, version: null, problems: [], notes: [] }),
    async open({ cwd, sessionId, forkOf, instructions, scope, signal, onEvent }: OpenOptions) {
      signal?.throwIfAborted();
      const known = sessionId && (await promptsIn(fileOf, sessionId));
      const id = known ? sessionId : randomUUID();
      const tree = processes.processTree(scope);
      const prompts = known || [];
      const session = new Session({
        id,
        cwd,
        instructions,
        prompts,
        program,
        tree,
        file: fileOf(id),
      });
      await session.save();
      if (!known && forkOf) {
        const message = `The conversation ${forkOf.session_id} cannot be copied, so a new one begins.`;
        onEvent?.({ type: "warning.raised", message });
      }
      onEvent?.({ type: known ? "session.resumed" : "session.started", session_id: id });
      return session;
    },
  };
}

/** The prompts of an earlier conversation; undefined where there is none of that id, whatever the id is. */
async function promptsIn(
  fileOf: (id: string) => string,
  id: string,
): Promise<string[] | undefined> {
  if (!/^[0-9a-f-]{36}$/.test(id)) return undefined;
  const text = await readFile(fileOf(id), "utf8").catch(() => undefined);
  return text === undefined ? undefined : JSON.parse(text);
}

interface SessionDeps extends Turn {
  id: string;
  cwd: string;
  program: readonly string[];
  tree: ProcessTree;
  file: string;
}

class Session implements AgentSession {
  readonly #deps: SessionDeps;
  readonly #work = new SessionWork();
  #steer: ((text: string) => void) | undefined;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  get id(): string {
    return this.#deps.id;
  }

  async run(prompt: string, { signal, onEvent = () => undefined }: TurnOptions) {
    return this.#work.run(signal, (either) => this.#play(prompt, either, onEvent));
  }

  async steer(text: string): Promise<void> {
    if (!this.#steer) {
      throw new LoopError("invalid_input", "No turn is under way that could be steered.");
    }
    this.#steer(text);
    await this.#remember(text);
  }

  async close(): Promise<void> {
    await this.#work.close();
    await this.#endProcesses();
  }

  async save(): Promise<void> {
    const { file, prompts } = this.#deps;
    await mkdir(join(file, ".."), { recursive: true });
    await writeFile(file, JSON.stringify(prompts));
  }

  /** Whatever ends the turn, none of its processes is alive when it rejects. */
  async #play(prompt: string, signal: AbortSignal, onEvent: (event: TurnEvent) => void) {
    let ending: Promise<unknown> | undefined;
    const end = () => {
      ending = this.#endProcesses().catch(() => undefined);
    };
    signal.addEventListener("abort", end, { once: true });
    try {
      await this.#remember(prompt);
      signal.throwIfAborted();
      return await this.#runProgram(onEvent);
    } catch (error) {
      // It must not end what the next turn starts.
      await ending;
      await this.#endProcesses();
      throw signal.aborted ? signal.reason : error;
    } finally {
      this.#steer = undefined;
      signal.removeEventListener("abort", end);
    }
  }

  async #runProgram(onEvent: (event: TurnEvent) => void): Promise<TurnResult> {
    const { program, cwd, tree, instructions, prompts } = this.#deps;
    const [file = "", ...args] = program;
    const child = tree.spawn(file, args, { cwd, stdio: "pipe" });
    const tell = (line: unknown) => void child.stdin.write(`${JSON.stringify(line)}\n`);
    child.stderr.resume();
    // It may end without reading what it is told.
    child.stdin.on("error", () => undefined);
    await once(child, "spawn").catch((cause: unknown) => {
      throw new LoopError("agent_unavailable", `${file} cannot be started.`, { cause });
    });
    this.#steer = (steer) => tell({ steer });
    tell({ instructions, prompts } satisfies Turn);
    let text: string | undefined;
    for await (const line of createInterface({ input: child.stdout })) {
      const event: TurnEvent = JSON.parse(line);
      if (event.type === "message.completed") text = event.text;
      onEvent(event);
    }
    if (text !== undefined) return { text, usage: null };
    throw new LoopError("agent_died", `${file} ended without an answer.`);
  }

  async #remember(text: string): Promise<void> {
    this.#deps.prompts.push(text);
    await this.save();
  }

  async #endProcesses(): Promise<void> {
    const left = await this.#deps.tree.end({ graceMs: 40 });
    if (left.length === 0) return;
    throw new LoopError("system_unavailable", `Processes ${left.join(", ")} cannot be ended.`);
  }
}
