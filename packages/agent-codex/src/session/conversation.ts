import type { RateLimits, TurnEvent } from "@ccw-loop/core";
import { type Approver, approver } from "../approval/approver.ts";
import type { Failure } from "../failure/failure.ts";
import { textInput, turnParameters } from "../launch/arguments.ts";
import type { CodexLimits } from "../options.ts";
import { AppServer } from "../process/app-server.ts";
import type { Reply } from "../process/rpc-peer.ts";
import type { Notification } from "../protocol/notifications.ts";
import { Nothing, TurnStarted } from "../protocol/results.ts";
import { runTurn, type TurnEnd, type TurnStage } from "../turn/run-turn.ts";
import { stopTurn } from "../turn/stop-turn.ts";
import type { Meter } from "../turn/usage.ts";
import { openThread, shakeHands, type ThreadSpec } from "./connect.ts";
import { inspect } from "./inspect.ts";
import type { Leftovers } from "./leftovers.ts";
import { ThreadLog } from "./thread-log.ts";

export interface ConversationSpec extends ThreadSpec {
  binary: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  mark: string;
  limits: CodexLimits;
  leftovers: Leftovers;
}

type Listener = (heard: Notification) => void;

/** One Codex thread and the process that has it open; the process may be replaced by another. */
export class Conversation {
  readonly #spec: ConversationSpec;
  readonly #emit: (event: TurnEvent) => void;
  readonly #approver: Approver;
  readonly #log: ThreadLog;
  #server: AppServer | null = null;
  #listener: Listener | null = null;

  constructor(spec: ConversationSpec, sessionId: string | null, emit: (event: TurnEvent) => void) {
    this.#spec = spec;
    this.#emit = emit;
    this.#log = new ThreadLog(spec.cwd, sessionId);
    this.#approver = approver({ cwd: spec.cwd, sandbox: spec.sandbox, emit });
  }

  get id(): string | null {
    return this.#log.sessionId;
  }

  get limits(): RateLimits {
    return this.#log.limits;
  }

  get meter(): Meter {
    return this.#log.meter;
  }

  /**
   * Starts the process and opens the thread, unless both are there. With `inspecting` it first looks whether
   * Codex can work here at all. Nothing runs after a failure.
   */
  async ready(signal: AbortSignal, inspecting = false): Promise<Failure | null> {
    if (this.#server?.alive) return null;
    const { binary, args, env, cwd, mark, limits } = this.#spec;
    const server = new AppServer({
      ...{ binary, args, env, cwd, mark, limits },
      hear: (heard) => this.#hear(heard),
      answer: (request) => this.#approver.answer(request),
    });
    const kill = () => void server.kill();
    signal.addEventListener("abort", kill, { once: true });
    const failure = await this.#open(server, inspecting);
    signal.removeEventListener("abort", kill);
    if (failure) await server.kill();
    else this.#server = server;
    return failure;
  }

  /** One turn with this prompt. */
  turn(
    prompt: string,
    outputSchema: Record<string, unknown> | undefined,
    signal: AbortSignal,
  ): Promise<TurnEnd> {
    const { sandbox } = this.#spec;
    return this.#run(signal, async ({ server, threadId }) => {
      const parameters = turnParameters({ threadId, prompt, outputSchema, sandbox });
      const reply = await server.request("turn/start", parameters, TurnStarted);
      return reply.ok ? { ok: true, result: reply.result.turn.id } : reply;
    });
  }

  /** Lets Codex replace the history by a summary, which is a turn of its own. */
  compact(signal: AbortSignal): Promise<TurnEnd> {
    return this.#run(signal, async ({ server, threadId }) => {
      const reply = await server.request("thread/compact/start", { threadId }, Nothing);
      return reply.ok ? { ok: true, result: null } : reply;
    });
  }

  /** Takes a turn out of the history, not out of the files. A Codex that cannot is no reason to fail. */
  async revert(turnId: string | null): Promise<void> {
    if (turnId === null || !this.#server?.alive) return;
    const parameters = { threadId: this.#log.threadId, beforeTurnId: turnId };
    const reply = await this.#server.request("thread/revert", parameters, Nothing);
    if (reply.ok) this.#log.turnReverted();
  }

  /** False when no turn is active. */
  async steer(text: string): Promise<boolean> {
    const { threadId, activeTurn } = this.#log;
    if (activeTurn === null || !this.#server) return false;
    const parameters = { threadId, expectedTurnId: activeTurn, input: textInput(text) };
    return (await this.#server.request("turn/steer", parameters, Nothing)).ok;
  }

  /** Ends a process that cannot be trusted any more. */
  async drop(): Promise<void> {
    await this.#server?.kill();
    await this.#spec.leftovers.remove();
    this.#server = null;
  }

  async close(): Promise<void> {
    await this.#server?.close();
    await this.#spec.leftovers.remove();
    this.#server = null;
  }

  async #open(server: AppServer, inspecting: boolean): Promise<Failure | null> {
    const greeted = await shakeHands(server);
    if (!greeted.ok) return greeted.failure;
    const { cwd, sandbox } = this.#spec;
    const [problem] = inspecting ? await inspect(server, cwd, sandbox) : [];
    if (problem) return problem;
    this.#log.opening();
    const thread = await openThread(server, this.#spec, this.#log.threadId);
    if (!thread.ok) return thread.failure;
    for (const event of this.#log.opened(thread.result)) this.#emit(event);
    return null;
  }

  async #run(
    signal: AbortSignal,
    begin: (stage: TurnStage) => Promise<Reply<string | null>>,
  ): Promise<TurnEnd> {
    const { mark, limits, sandbox } = this.#spec;
    const [server, { threadId, activeTurn }] = [this.#server, this.#log];
    if (!server || threadId === null) {
      const failure: Failure = { kind: "crash", message: "Codex does not run" };
      return { type: "failed", failure, turnId: null, worked: false };
    }
    const stage: TurnStage = {
      ...{ server, threadId, mark, limits, sandbox, signal },
      listen: (listener) => this.#listen(listener),
    };
    if (activeTurn !== null) await this.#endForeignTurn(stage, activeTurn);
    this.#log.turnBegins();
    const end = await runTurn(stage, () => begin(stage));
    await this.#spec.leftovers.remove();
    return end;
  }

  /** Codex takes a prompt during a turn for a word to that turn, so nothing may run when ours begins. */
  async #endForeignTurn(stage: TurnStage, turnId: string): Promise<void> {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const stopListening = this.#listen((heard) => {
      if (heard.method === "turn/completed" && heard.params.turn.id === turnId) end();
    });
    void stage.server.exited.then(() => end());
    await stopTurn(stage, { id: Promise.resolve(turnId), ended });
    stopListening();
  }

  #listen(listener: Listener): () => void {
    this.#listener = listener;
    return () => {
      this.#listener = null;
    };
  }

  #hear(heard: Notification): void {
    if (!this.#log.concerns(heard)) return;
    this.#approver.hear(heard);
    const events = this.#log.hear(heard);
    this.#listener?.(heard);
    for (const event of events) this.#emit(event);
  }
}
