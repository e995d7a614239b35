import { setTimeout as delay } from "node:timers/promises";
import type { TurnEvent } from "@ccw-loop/core";
import { RpcProgram, type RpcRequest, type RpcResponse } from "@ccw-loop/processes/json-rpc";
import { judge, outcomeOf } from "../approval/permission.ts";
import { at, textAt } from "../json.ts";
import { modeIn, TurnDecoder } from "../turn/decode.ts";
import { runTurn, type TurnEnd } from "../turn/run-turn.ts";
import { Meter } from "../turn/usage.ts";
import { ask, type Outcome } from "./ask.ts";
import { type OpenSession, openSession } from "./connect.ts";
import type { ConversationSpec } from "./conversation-spec.ts";

const METHOD_NOT_FOUND = -32_601;
/** A replay has no longer pauses, and takes no longer. */
const REPLAY_QUIET_MS = 300;
const REPLAY_MS = 10_000;

interface Connection {
  program: RpcProgram;
  session: OpenSession;
}

/** What is known of the turn that runs. */
interface RunningTurn {
  decoder: TurnDecoder;
  signal: AbortSignal;
  /** What a person says meanwhile, until the agent fetches it. */
  messages: string[];
  /** What was declined last, as long as the agent has not gone on. */
  declined: string | null;
}

/** One session of an agent and the process that has it open; the process may be replaced by another. */
export class Conversation {
  readonly #spec: ConversationSpec;
  readonly #emit: (event: TurnEvent) => void;
  readonly #meter: Meter;
  #connection: Connection | null = null;
  #turn: RunningTurn | null = null;
  #sessionId: string | null;
  /** The agent has not been told its instructions, or may have forgotten them. */
  #owesInstructions = true;
  #lastHeardAt = 0;
  #lastTools: ReadonlySet<string> = new Set();
  #noise = 0;

  constructor(spec: ConversationSpec, sessionId: string | null, emit: (event: TurnEvent) => void) {
    this.#spec = spec;
    this.#sessionId = sessionId;
    this.#emit = emit;
    this.#meter = new Meter(spec.profile.usage);
  }

  /** Known once it was opened. */
  get sessionId(): string | null {
    return this.#connection?.session.id ?? this.#sessionId;
  }

  /** Starts the process and opens the session, unless both are there. Nothing runs after a failure, or an abort. */
  async ready(signal: AbortSignal): Promise<Outcome<Connection>> {
    if (this.#connection?.program.alive) return { ok: true, result: this.#connection };
    const program = this.#start();
    const kill = () => void program.kill();
    signal.addEventListener("abort", kill, { once: true });
    if (signal.aborted) kill();
    const isFirst = this.#connection === null;
    const opened = await openSession(program, isFirst ? this.#spec : this.#again(), this.sessionId);
    signal.removeEventListener("abort", kill);
    this.#lastHeardAt = performance.now();
    if (!opened.ok) {
      await program.kill();
      return opened;
    }
    const { how, capabilities } = opened.result;
    if (how === "resumed" && !capabilities.resumes) await this.#untilReplayed(signal);
    this.#opened(opened.result);
    this.#connection = { program, session: opened.result };
    return { ok: true, result: this.#connection };
  }

  /** One turn with this prompt; `declined` tells what was refused when the agent ended it without a word. */
  async turn(prompt: string, signal: AbortSignal): Promise<TurnEnd & { declined?: string }> {
    const ready = await this.ready(signal);
    if (signal.aborted) return { type: "aborted" };
    if (!ready.ok) return { type: "failed", failure: ready.failure };
    const { program, session } = ready.result;
    const { cwd, profile, tree, limits } = this.#spec;
    const decoder = new TurnDecoder(cwd, profile, this.#lastTools);
    const turn: RunningTurn = { decoder, signal, messages: [], declined: null };
    this.#turn = turn;
    this.#meter.turnBegins();
    this.#lastHeardAt = performance.now();
    const context = {
      ...{ program, tree, profile, limits, signal, decoder },
      sessionId: session.id,
      lastHeardAt: () => this.#lastHeardAt,
    };
    let end: TurnEnd;
    try {
      end = await runTurn(context, this.#withInstructions(prompt, session));
    } finally {
      this.#turn = null;
      this.#lastTools = decoder.toolIds;
      this.#owesInstructions ||= decoder.compacted;
    }
    for (const event of decoder.end()) this.#emit(event);
    if (turn.messages.length > 0) this.#warn("It ended its turn before it read what was said.");
    return turn.declined === null || end.type !== "completed"
      ? end
      : { ...end, declined: turn.declined };
  }

  /** What the last turn used; null where nobody knows. */
  usageOf(end: TurnEnd) {
    const usage = this.#meter.turnEnded(end.type === "completed" ? end.result : undefined);
    if (usage !== null) this.#emit({ type: "usage.updated", usage });
    return usage;
  }

  /** False when no turn is active, or the agent cannot be steered. */
  async steer(text: string): Promise<boolean> {
    const turn = this.#turn;
    if (turn === null || this.#connection === null) return false;
    if (this.#spec.profile.fetchesMessages) {
      turn.messages.push(text);
      return true;
    }
    const { program, session } = this.#connection;
    if (!session.capabilities.steers) return false;
    const parameters = {
      sessionId: session.id,
      prompt: [{ type: "text", text }],
      _meta: { steering: { idleBehavior: "promptRequired" } },
    };
    const reply = await ask(program, "_session/steering", parameters, this.#spec.limits.requestMs);
    return reply.ok && textAt(reply.result, "outcome") === "injected";
  }

  /** Ends a process that cannot be trusted any more, and whatever it left. */
  async drop(): Promise<void> {
    await this.#connection?.program.kill();
  }

  async close(): Promise<void> {
    const { program, session } = this.#connection ?? {};
    if (!program || !session) return;
    const { closeMs } = this.#spec.limits;
    if (session.capabilities.closes && program.alive) {
      await ask(program, "session/close", { sessionId: session.id }, closeMs);
    }
    await program.close(closeMs);
  }

  #start(): RpcProgram {
    const { file, args, env, cwd, tree, profile } = this.#spec;
    return new RpcProgram({
      ...{ name: profile.title, tree, file, args, env, cwd },
      header: { jsonrpc: "2.0" },
      onNotification: (notification) => this.#onNotification(notification),
      answer: async (request) => this.#answer(request),
      onNoise: (what) => this.#onNoise(what),
    });
  }

  /** A session that is loaded tells its history again, and may go on with that behind its answer: until nothing more comes. */
  async #untilReplayed(signal: AbortSignal): Promise<void> {
    const latest = performance.now() + REPLAY_MS;
    for (;;) {
      const now = performance.now();
      const rest = Math.min(this.#lastHeardAt + REPLAY_QUIET_MS, latest) - now;
      if (rest <= 0 || signal.aborted) return;
      await delay(rest, undefined, { signal }).catch(() => undefined);
    }
  }

  /** A copy of another conversation is made once. */
  #again(): ConversationSpec {
    return { ...this.#spec, forkOf: undefined };
  }

  #opened({ id, how, capabilities, warnings }: OpenSession): void {
    for (const message of warnings) this.#warn(message);
    if (how === "resumed") this.#meter.resumed();
    this.#owesInstructions = how === "started" && !capabilities.takesInstructions;
    const type = how === "resumed" ? "session.resumed" : "session.started";
    this.#emit({ type, session_id: id });
  }

  #withInstructions(prompt: string, { capabilities }: OpenSession): string {
    const { instructions } = this.#spec;
    if (!this.#owesInstructions || capabilities.takesInstructions || instructions === "")
      return prompt;
    this.#owesInstructions = false;
    return `${instructions}\n\n${prompt}`;
  }

  /** What is replayed while a session is opened, and what comes between turns, belongs to no turn. */
  #onNotification({ method, params }: RpcRequest): void {
    this.#lastHeardAt = performance.now();
    const turn = this.#turn;
    if (method !== "session/update" || turn === null) return;
    if (textAt(params, "sessionId") !== this.#connection?.session.id) return;
    const update = at(params, "update");
    const mode = modeIn(update);
    if (mode !== undefined) this.#keepMode(mode);
    const usage = this.#meter.update(update);
    if (usage !== null) this.#emit({ type: "usage.updated", usage });
    const events = turn.decoder.update(update);
    if (turn.decoder.answer !== "") turn.declined = null;
    for (const event of events) this.#emit(event);
  }

  /** An agent may leave the mode in which it asks, of itself or because its model says so. */
  #keepMode(mode: string): void {
    const { program, session } = this.#connection ?? {};
    if (!program || !session || session.mode === null || mode === session.mode) return;
    this.#warn(`It went over to the mode ${mode}, and is put back to ${session.mode}.`);
    const parameters = { sessionId: session.id, modeId: session.mode };
    void ask(program, "session/set_mode", parameters, this.#spec.limits.requestMs);
  }

  async #answer({ method, params }: RpcRequest): Promise<RpcResponse> {
    this.#lastHeardAt = performance.now();
    switch (method) {
      case "session/request_permission":
        return { result: { outcome: this.#permission(params) } };
      case "craft/drainMidTurnQueue": {
        const messages = this.#turn?.messages.splice(0) ?? [];
        return { result: { messages, hasQueuedPrompt: false } };
      }
      default: {
        this.#emit({ type: "approval.answered", request: method, decision: "refuse" });
        const message = `CCW Loop does not answer ${method}.`;
        return { error: { code: METHOD_NOT_FOUND, message } };
      }
    }
  }

  #permission(params: unknown) {
    const turn = this.#turn;
    if (turn === null || turn.signal.aborted) return { outcome: "cancelled" };
    const { call, asked: question, events } = turn.decoder.asked(at(params, "toolCall"));
    for (const event of events) this.#emit(event);
    const { cwd, protect } = this.#spec;
    const { asked, because, decision } = judge(question, { cwd, protect, confined: false });
    const outcome = outcomeOf(decision, params);
    const isTold = outcome.outcome === "selected";
    const request = `${asked} (${because})`;
    this.#emit({ type: "approval.answered", request, decision: isTold ? decision : "cancel" });
    if (!isTold) this.#warn(`It offers no way to ${decision} once, so it gets no answer: ${asked}`);
    const isAccepted = isTold && decision === "accept";
    turn.declined = isAccepted ? null : request;
    for (const event of isAccepted ? call.accepted() : call.declined()) this.#emit(event);
    return outcome;
  }

  /** Agents print stray lines; that they do is said once. */
  #onNoise(what: string): void {
    this.#noise += 1;
    if (this.#noise === 1) this.#warn(`It printed what is no message: ${what}`);
  }

  #warn(message: string): void {
    this.#emit({ type: "warning.raised", message: `${this.#spec.profile.title}: ${message}` });
  }
}
