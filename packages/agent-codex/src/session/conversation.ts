import type { LoopError, TurnEvent } from "@ccw-loop/core";
import { type Approver, approver } from "../approval/approver.ts";
import { type Failure, loopErrorOf } from "../failure/failure.ts";
import { textInput } from "../launch/arguments.ts";
import { AppServer, type Reply } from "../process/app-server.ts";
import {
  CONFINED,
  EmptyResult,
  type Notification,
  type SandboxPolicy,
  TurnStarted,
} from "../protocol.ts";
import { type CommandEnd, runCommand } from "../turn/run-command.ts";
import { runTurn, stopTurn, type TurnContext, type TurnEnd } from "../turn/run-turn.ts";
import { initializeServer, type OpenThread, openThread } from "./connect.ts";
import type { ConversationSpec } from "./conversation-spec.ts";
import { type Inspection, type SandboxSetup, startAndInspect } from "./inspect.ts";
import { ThreadLog } from "./thread-log.ts";

type Listener = (notification: Notification) => void;

interface OpenConversation {
  server: AppServer;
  threadId: string;
}

/** One Codex thread and the process that has it open; the process may be replaced by another. */
export class Conversation {
  readonly #spec: ConversationSpec;
  readonly #emit: (event: TurnEvent) => void;
  readonly #approver: Approver;
  readonly log: ThreadLog;
  #opened: OpenConversation | null = null;
  /** Null before Codex was inspected. */
  #sandboxSetup: SandboxSetup | null = null;
  #policy: SandboxPolicy = CONFINED;
  #listener: Listener | null = null;

  constructor(spec: ConversationSpec, sessionId: string | null, emit: (event: TurnEvent) => void) {
    this.#spec = spec;
    this.#emit = emit;
    this.log = new ThreadLog(spec.cwd, sessionId);
    const { cwd, sandbox, protect } = spec;
    this.#approver = approver({ cwd, sandbox, protect, emit });
  }

  /** A failure as the product's error. */
  errorOf(failure: Failure): LoopError {
    return loopErrorOf(failure, this.log.limits, this.#spec.login);
  }

  /**
   * Starts the process and opens the thread, unless both are there. The first time it looks whether Codex
   * can work here at all. Nothing runs after a failure.
   */
  async ready(signal: AbortSignal): Promise<Reply<OpenConversation>> {
    if (this.#opened?.server.alive) return { ok: true, result: this.#opened };
    let latest: AppServer | null = null;
    const kill = () => void latest?.kill();
    signal.addEventListener("abort", kill, { once: true });
    const { server, thread } = await this.#connect((args) => {
      latest = this.#start(args);
      if (signal.aborted) kill();
      return latest;
    });
    signal.removeEventListener("abort", kill);
    if (!thread.ok) {
      await server.kill();
      return thread;
    }
    this.#opened = { server, threadId: thread.result.threadId };
    return { ok: true, result: this.#opened };
  }

  /** One turn with this prompt. The output schema belongs to one turn, so each names it. */
  turn(
    prompt: string,
    outputSchema: Record<string, unknown> | undefined,
    signal: AbortSignal,
  ): Promise<TurnEnd> {
    return this.#run(signal, async ({ server, threadId }) => {
      const schema = outputSchema ? { outputSchema } : {};
      const parameters = { threadId, input: textInput(prompt), ...schema };
      const reply = await server.request("turn/start", parameters, TurnStarted);
      return reply.ok ? { ok: true, result: reply.result.turn.id } : reply;
    });
  }

  /** Lets Codex replace the history by a summary, which is a turn of its own. */
  compact(signal: AbortSignal): Promise<TurnEnd> {
    return this.#run(signal, async ({ server, threadId }) => {
      const reply = await server.request("thread/compact/start", { threadId }, EmptyResult);
      return reply.ok ? { ok: true, result: null } : reply;
    });
  }

  /** A shell command outside of any turn, confined as those of the turns are. */
  async command(command: string, timeoutMs: number, signal: AbortSignal): Promise<CommandEnd> {
    const context = await this.#context(signal);
    if (!context.ok)
      return signal.aborted ? { type: "aborted" } : { type: "failed", failure: context.failure };
    const { cwd } = this.#spec;
    const confined = { cwd, policy: this.#policy, profile: this.#sandboxSetup?.profile ?? null };
    const end = await runCommand({ ...context.result, ...confined }, command, timeoutMs);
    await this.#spec.leftovers.remove();
    return end;
  }

  /** Takes a turn out of the history, not out of the files. A Codex that cannot is no reason to fail. */
  async revert(turnId: string | null): Promise<void> {
    if (turnId === null || !this.#opened?.server.alive) return;
    const { server, threadId } = this.#opened;
    const parameters = { threadId, beforeTurnId: turnId };
    const reply = await server.request("thread/revert", parameters, EmptyResult);
    if (reply.ok) this.log.turnReverted();
  }

  /** False when no turn is active. */
  async steer(text: string): Promise<boolean> {
    const { activeTurn } = this.log;
    if (activeTurn === null || !this.#opened) return false;
    const { server, threadId } = this.#opened;
    const parameters = { threadId, expectedTurnId: activeTurn, input: textInput(text) };
    return (await server.request("turn/steer", parameters, EmptyResult)).ok;
  }

  /** Ends a process that cannot be trusted any more. */
  async drop(): Promise<void> {
    await this.#opened?.server.kill();
    await this.#spec.leftovers.remove();
    this.#opened = null;
  }

  async close(): Promise<void> {
    await this.#opened?.server.close();
    await this.#spec.leftovers.remove();
    this.#opened = null;
  }

  #start(args: readonly string[]): AppServer {
    return new AppServer({
      ...{ ...this.#spec, args },
      onNotification: (notification) => this.#onNotification(notification),
      answer: (request) => this.#approver.answer(request),
    });
  }

  async #connect(
    start: (args: readonly string[]) => AppServer,
  ): Promise<{ server: AppServer; thread: Reply<OpenThread> }> {
    const known = this.#sandboxSetup;
    const { server, sandboxSetup, problems } = known
      ? await restart(known, start)
      : await startAndInspect(this.#spec, start);
    const [failure] = problems;
    if (failure) return { server, thread: { ok: false, failure } };
    this.log.opening();
    const { profile, warnings } = sandboxSetup;
    const thread = await openThread(server, { ...this.#spec, profile }, this.log.threadId);
    if (!thread.ok) return { server, thread };
    if (!known) for (const message of warnings) this.#emit({ type: "warning.raised", message });
    this.#sandboxSetup = sandboxSetup;
    this.#policy = thread.result.policy;
    for (const event of this.log.opened(thread.result)) this.#emit(event);
    return { server, thread };
  }

  async #run(
    signal: AbortSignal,
    begin: (context: TurnContext) => Promise<Reply<string | null>>,
  ): Promise<TurnEnd> {
    const context = await this.#context(signal);
    if (!context.ok) {
      if (signal.aborted) return { type: "aborted" };
      return { type: "failed", failure: context.failure, turnId: null, hadSideEffects: false };
    }
    this.log.turnBegins();
    const end = await runTurn(context.result, () => begin(context.result));
    await this.#spec.leftovers.remove();
    return end;
  }

  /** What a turn or a command needs, or why Codex does not run. No turn is active afterwards. */
  async #context(signal: AbortSignal): Promise<Reply<TurnContext>> {
    const opened = await this.ready(signal);
    if (!opened.ok) return opened;
    const { commands, limits, sandbox } = this.#spec;
    const context: TurnContext = {
      ...{ ...opened.result, commands, limits, sandbox, signal },
      listen: (listener) => this.#listen(listener),
    };
    const { activeTurn } = this.log;
    if (activeTurn !== null) await this.#endForeignTurn(context, activeTurn);
    return { ok: true, result: context };
  }

  /** Codex takes a prompt during a turn for a word to that turn, so nothing may run when ours begins. */
  async #endForeignTurn(context: TurnContext, turnId: string): Promise<void> {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const stopListening = this.#listen((notification) => {
      if (notification.method === "turn/completed" && notification.params.turn.id === turnId) end();
    });
    void context.server.exited.then(() => end());
    await stopTurn(context, { id: Promise.resolve(turnId), ended });
    stopListening();
  }

  #listen(listener: Listener): () => void {
    this.#listener = listener;
    return () => {
      this.#listener = null;
    };
  }

  #onNotification(notification: Notification): void {
    if (!this.log.concerns(notification)) return;
    this.#approver.onNotification(notification);
    const events = this.log.onNotification(notification);
    this.#listener?.(notification);
    for (const event of events) this.#emit(event);
  }
}

async function restart(
  sandboxSetup: SandboxSetup,
  start: (args: readonly string[]) => AppServer,
): Promise<Inspection> {
  const server = start(sandboxSetup.args);
  const greeted = await initializeServer(server);
  return { server, sandboxSetup, problems: greeted.ok ? [] : [greeted.failure] };
}
