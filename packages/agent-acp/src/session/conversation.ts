import { setTimeout as delay } from "node:timers/promises";
import { LoopError, type TurnEvent } from "@ccw-loop/core";
import { RpcProgram, type RpcRequest, type RpcResponse } from "@ccw-loop/processes/json-rpc";
import { judge, optionFor } from "../approval/permission.ts";
import { loopErrorOf } from "../failure/failure.ts";
import { at, textAt } from "../json.ts";
import { TurnDecoder } from "../turn/decode.ts";
import { OwnProcesses } from "../turn/own-processes.ts";
import { runTurn, type TurnEnd } from "../turn/run-turn.ts";
import { Meter } from "../turn/usage.ts";
import { ask, type Outcome } from "./ask.ts";
import { type OpenSession, openSession } from "./connect.ts";
import type { ConversationSpec } from "./conversation-spec.ts";
import { ModeGuard } from "./mode.ts";

const METHOD_NOT_FOUND = -32_601;
/** A replay has no longer pauses, and takes no longer. */
const REPLAY_QUIET_MS = 300;
const REPLAY_MS = 10_000;
/** A frame that tells of a command which was not asked about may come so long after its first process. */
const UNASKED_MS = 1000;

interface Connection {
  program: RpcProgram;
  session: OpenSession;
  guard: ModeGuard;
  own: OwnProcesses;
}

/** What is known of the turn that runs. */
interface RunningTurn {
  decoder: TurnDecoder;
  /** It ends, or is being ended: nothing that it asks is accepted. */
  isCut: boolean;
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
  /** The agent has not been told its instructions in a turn that was completed, or may have forgotten them. */
  #owesInstructions: boolean;
  /** What a person said during a turn that the agent has not fetched. */
  #unread: string[] = [];
  #wasCut = false;
  #lastHeardAt = 0;
  #lastTools: ReadonlySet<string> = new Set();
  #noise = 0;

  constructor(spec: ConversationSpec, sessionId: string | null, emit: (event: TurnEvent) => void) {
    this.#spec = spec;
    this.#sessionId = sessionId;
    this.#owesInstructions = sessionId === null;
    this.#emit = emit;
    this.#meter = new Meter(spec.profile.usage);
  }

  /** Known once it was opened. */
  get sessionId(): string | null {
    return this.#connection?.session.id ?? this.#sessionId;
  }

  /** Starts the process and opens the session, unless both are there. Nothing runs after a failure, or an abort. */
  async ready(signal: AbortSignal): Promise<Outcome<Connection>> {
    await this.#connection?.guard.ended;
    if (this.#connection?.program.alive) return { ok: true, result: this.#connection };
    const program = this.#start();
    // It is ended once more below, or by `drop`, where a failure is told.
    const kill = () => void program.kill().catch(() => undefined);
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
    const { id: sessionId, mode: kept } = opened.result;
    const warn = (message: string) => this.#warn(message);
    const guard = new ModeGuard({ program, spec: this.#spec, sessionId, kept, warn });
    const own = new OwnProcesses(this.#spec.tree);
    this.#connection = { program, session: opened.result, guard, own };
    this.#opened(opened.result);
    return { ok: true, result: this.#connection };
  }

  /** One turn with this prompt; `declined` tells what was refused when the agent ended it without a word. */
  async turn(prompt: string, signal: AbortSignal): Promise<TurnEnd & { declined?: string }> {
    const ready = await this.ready(signal);
    if (signal.aborted) return { type: "aborted" };
    if (!ready.ok) return { type: "failed", failure: ready.failure };
    const { program, session, own } = ready.result;
    const { cwd, profile, limits } = this.#spec;
    const decoder = new TurnDecoder(cwd, profile, this.#lastTools);
    const turn: RunningTurn = { decoder, isCut: false, declined: null };
    if (!this.#wasCut) own.adopt();
    this.#turn = turn;
    this.#meter.turnBegins();
    const context = {
      ...{ program, own, profile, limits, signal, decoder },
      sessionId: session.id,
      lastHeardAt: () => this.#lastHeardAt,
      onCut: () => {
        turn.isCut = true;
      },
    };
    let end: TurnEnd | null = null;
    const unsaid = this.#unsaid(session);
    try {
      end = await runTurn(context, [...unsaid, prompt].join("\n\n"));
    } finally {
      this.#turn = null;
      this.#wasCut = end?.type !== "completed";
      this.#lastTools = decoder.toolIds;
      if (!this.#wasCut) this.#owesInstructions = false;
      this.#owesInstructions ||= decoder.compacted;
    }
    for (const event of decoder.end()) this.#emit(event);
    if (this.#unread.length > 0) {
      this.#warn(
        "It ended its turn before it read what was said; the next prompt begins with that.",
      );
    }
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

  /** Says something to the running turn. Throws `invalid_input` when there is none or it takes no message, and what kept it. */
  async steer(text: string): Promise<void> {
    const { profile } = this.#spec;
    if (this.#turn === null || this.#connection === null) throw noTurn();
    if (profile.fetchesMessages) {
      this.#unread.push(text);
      return;
    }
    const { program, session } = this.#connection;
    if (!session.capabilities.steers) {
      const message = `${profile.title} takes no message during a turn. Say it with the next prompt.`;
      throw new LoopError("invalid_input", message);
    }
    const parameters = {
      sessionId: session.id,
      prompt: [{ type: "text", text }],
      _meta: { steering: { idleBehavior: "promptRequired" } },
    };
    const reply = await ask(program, "_session/steering", parameters, this.#spec.limits.requestMs);
    if (!reply.ok) throw loopErrorOf(reply.failure, profile);
    if (textAt(reply.result, "outcome") !== "injected") throw noTurn();
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
    this.#meter.opened(how);
    // The history of a session that is resumed has them, unless its first turn failed; that of a copy does.
    if (how === "started") this.#owesInstructions = !capabilities.takesInstructions;
    if (how === "forked") this.#owesInstructions = false;
    const type = how === "resumed" ? "session.resumed" : "session.started";
    this.#emit({ type, session_id: id });
  }

  /** What the agent still has to be told. */
  #unsaid({ capabilities }: OpenSession): string[] {
    const owes = this.#owesInstructions && !capabilities.takesInstructions;
    const instructions = owes ? [this.#spec.instructions] : [];
    return [...instructions, ...this.#unread.splice(0)].filter((text) => text !== "");
  }

  /** What is replayed while a session is opened, and what comes between turns, belongs to no turn. */
  #onNotification({ method, params }: RpcRequest): void {
    this.#lastHeardAt = performance.now();
    const turn = this.#turn;
    const connection = this.#connection;
    if (method !== "session/update" || connection === null) return;
    if (textAt(params, "sessionId") !== connection.session.id) return;
    const update = at(params, "update");
    connection.guard.heard(update);
    if (turn === null) return;
    const usage = this.#meter.update(update);
    if (usage !== null) this.#emit({ type: "usage.updated", usage });
    const isQuiet = !turn.decoder.isCommandAtWork();
    const events = turn.decoder.update(update);
    const types = events.map(({ type }) => type);
    if (isQuiet && types.includes("command.started")) connection.own.adopt(UNASKED_MS);
    if (types.includes("command.completed")) connection.own.disown();
    if (turn.decoder.answer !== "") turn.declined = null;
    for (const event of events) this.#emit(event);
  }

  async #answer({ method, params }: RpcRequest): Promise<RpcResponse> {
    this.#lastHeardAt = performance.now();
    switch (method) {
      case "session/request_permission":
        return { result: { outcome: this.#permission(params) } };
      case "craft/drainMidTurnQueue": {
        const messages = this.#turn === null ? [] : this.#unread.splice(0);
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
    if (turn === null || turn.isCut) return { outcome: "cancelled" };
    const { call, asked: question, events } = turn.decoder.asked(at(params, "toolCall"));
    for (const event of events) this.#emit(event);
    const { cwd, protect } = this.#spec;
    const { asked, because, decision } = judge(question, { cwd, protect, confined: false });
    const outcome = optionFor(decision, params);
    const isTold = outcome.outcome === "selected";
    const request = `${asked} (${because})`;
    this.#emit({ type: "approval.answered", request, decision: isTold ? decision : "cancel" });
    if (!isTold) this.#warn(`It offers no way to ${decision} once, so it gets no answer: ${asked}`);
    const isAccepted = isTold && decision === "accept";
    turn.declined = isAccepted ? null : request;
    if (isAccepted && !turn.decoder.isCommandAtWork(call)) this.#connection?.own.adopt();
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

function noTurn(): LoopError {
  return new LoopError("invalid_input", "No turn is under way that could be steered.");
}
