import { readFileSync } from "node:fs";
import { PROFILES } from "@ccw-loop/agent-acp";
import { type ProcessTree, processes } from "@ccw-loop/processes";
import { RpcProgram } from "@ccw-loop/processes/json-rpc";
import { listAt, textAt } from "../../../packages/agent-acp/src/json.ts";
import { sandboxedLaunch } from "../../../packages/agent-acp/src/launch/sandbox.ts";
import { DEFAULT_ACP_LIMITS } from "../../../packages/agent-acp/src/options.ts";
import { type OpenSession, openSession } from "../../../packages/agent-acp/src/session/connect.ts";
import type { ModelRequest } from "../model/server.ts";
import type { Move } from "../model/tools.ts";
import { agentIn, PATIENT, type RealAgent } from "./real-agent.ts";
import type { Recipe } from "./recipes.ts";

const NO_SUCH_METHOD = { error: { code: -32_601, message: "It is not answered." } };
const TURN_MS = 120_000;

interface Begun {
  recipe: Recipe;
  real: RealAgent;
  cwd: string;
  tree: ProcessTree;
  program: RpcProgram;
  session: OpenSession;
  startMs: number;
}

/** A turn that ended. */
export interface Turn {
  ms: number;
  /** What the model was asked in it. */
  requests: readonly ModelRequest[];
  /** Moves of the script that were not played. */
  movesLeft: number;
}

/** One process of an agent that is not contained, and one session with it: the protocol, and nothing of the loop. */
export class Talk {
  readonly #begun: Begun;
  /** The kinds of tools that it has asked about. */
  readonly asked: string[] = [];
  /** What it is answered. */
  choice: "allow_once" | "reject_once" = "allow_once";
  lastHeardAt = performance.now();

  private constructor(begun: Begun) {
    this.#begun = begun;
  }

  /** `wrapper` are words in front of the agent's command. Throws where no session is opened. */
  static async begin(
    recipe: Recipe,
    real: RealAgent,
    cwd: string,
    wrapper: readonly string[] = [],
  ): Promise<Talk> {
    const profile = PROFILES[recipe.name];
    const tree = processes().processTree();
    const places = { sandbox: { kind: "off" }, protect: [], hidden: [] } as const;
    const own = await sandboxedLaunch({ profile, ...places, env: real.env }, cwd);
    const [file = own.file, ...args] = [...wrapper, own.file, ...own.args];
    const launch = { ...own, file, args };
    const began = performance.now();
    let talk: Talk | null = null;
    const program = new RpcProgram({
      ...{ ...launch, name: profile.title, tree, header: { jsonrpc: "2.0" } },
      onNotification: () => talk?.answer("", null),
      onNoise: () => undefined,
      answer: async ({ method, params }) => talk?.answer(method, params) ?? NO_SUCH_METHOD,
    });
    const asWanted = { instructions: "", forkOf: undefined, model: undefined, protect: [] };
    const limits = { ...DEFAULT_ACP_LIMITS, ...PATIENT };
    const spec = { ...launch, ...asWanted, profile, tree, newTree: () => tree, limits };
    const opened = await openSession(program, spec, null);
    if (!opened.ok) {
      await program.kill();
      throw new Error(opened.failure.message);
    }
    const session = opened.result;
    const startMs = Math.round(performance.now() - began);
    talk = new Talk({ recipe, real, cwd, tree, program, session, startMs });
    return talk;
  }

  get session(): OpenSession {
    return this.#begun.session;
  }

  /** From its start to an open session. */
  get startMs(): number {
    return this.#begun.startMs;
  }

  get program(): RpcProgram {
    return this.#begun.program;
  }

  /** The agent's own process. */
  get pid(): number {
    return agentIn(this.#begun.cwd, this.#begun.recipe.name);
  }

  /** Of all that it has started and that lives. */
  get pids(): number[] {
    return [...this.#begun.tree.members().keys()];
  }

  /** The memory of all its processes, shared pages by parts (proc_pid_smaps_rollup). */
  get megabytes(): number {
    const kilobytes = this.pids.map((pid) => Number(/Pss:\s+(\d+)/.exec(rollup(pid))?.[1] ?? 0));
    return Math.round(kilobytes.reduce((sum, one) => sum + one, 0) / 1024);
  }

  async turn(text: string, moves: readonly Move[]): Promise<Turn> {
    const { model } = this.#begun.real;
    const left = [...moves];
    model.play(() => left.shift() ?? { say: "ok" });
    const before = model.requests.length;
    const began = performance.now();
    const parameters = { sessionId: this.session.id, prompt: [{ type: "text", text }] };
    const reply = await this.program.request("session/prompt", parameters, TURN_MS);
    const ms = performance.now() - began;
    if ("lost" in reply) throw new Error(reply.lost);
    return { ms, requests: model.requests.slice(before), movesLeft: left.length };
  }

  cancel(): void {
    this.program.notify("session/cancel", { sessionId: this.session.id });
  }

  answer(method: string, params: unknown) {
    this.lastHeardAt = performance.now();
    if (method === "craft/drainMidTurnQueue") return { result: { messages: [] } };
    if (method !== "session/request_permission") return NO_SUCH_METHOD;
    this.asked.push(textAt(params, "toolCall", "kind") ?? "");
    const option = listAt(params, "options").find((one) => textAt(one, "kind") === this.choice);
    const optionId = textAt(option, "optionId");
    const isThere = optionId !== undefined;
    const outcome = isThere ? { outcome: "selected", optionId } : { outcome: "cancelled" };
    return { result: { outcome } };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.program.kill();
  }
}

function rollup(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  } catch {
    return "";
  }
}
