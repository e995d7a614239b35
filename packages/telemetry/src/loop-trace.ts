import type { Activity, LiveEvent, LoopEvent, LoopEventOf, LoopState } from "@ccw-loop/core";
import { spanIdOf, traceIdOf, traceparent } from "./ids.ts";
import { type Attributes, type SpanRecord, withoutNull } from "./span.ts";
import { baselineRuns, type TestRun, validateRuns } from "./test-runs.ts";

interface Open {
  id: string;
  at: string;
}

/** Codex is known to the conventions by who makes it; other agents by their own names. */
const PROVIDERS: Readonly<Record<string, string>> = {
  codex: "openai",
  claude: "anthropic",
  gemini: "gcp.gemini",
};

/**
 * The spans of one loop, of what it records and does while it is driven here. Ids follow from the loop and from times in its
 * journal, so a loop that another process goes on with goes on with its trace.
 */
export class LoopTrace {
  readonly #traceId: string;
  readonly #root: string;
  readonly #loop: LoopState;
  readonly #emit: (span: SpanRecord) => void;
  #agent: { driver: string; session: string | null };
  #action: (Open & { name: string; attempt: number; task: string | null }) | undefined;
  #turn: Open | undefined;
  /** Commands of the turn that have not ended, the newest last. */
  #commands: (Open & { command: string })[] = [];

  constructor(loop: LoopState, emit: (span: SpanRecord) => void) {
    this.#loop = loop;
    this.#emit = emit;
    this.#traceId = traceIdOf(loop);
    this.#root = spanIdOf(this.#traceId, "loop");
    this.#agent = {
      driver: loop.agent?.driver ?? loop.settings?.agent ?? "codex",
      session: loop.agent?.session_id ?? null,
    };
    const { action } = loop;
    if (action && action.interrupted === null) {
      this.#begin(action.name, action.started_at, action.attempt, action.task_id);
    }
  }

  /** For programs that this loop starts. An agent outlives the action in which it was started. */
  get traceparent(): string {
    return traceparent(this.#traceId, this.#root);
  }

  take(live: LiveEvent): void {
    if (live.kind === "recorded") this.#recorded(live.recorded.event);
    else this.#does(live.activity);
  }

  #recorded(event: LoopEvent): void {
    switch (event.type) {
      case "action.started":
        this.#begin(event.action, event.at, event.attempt, event.task_id);
        break;
      case "agent.attached":
        this.#agent = { driver: event.driver, session: event.session_id };
        break;
      case "turn.completed":
        this.#endTurn(event.at, event);
        break;
      case "baseline.measured":
        this.#ran(baselineRuns(event.baseline));
        break;
      case "action.completed":
        if (event.output.action === "VALIDATE") this.#ran(validateRuns(event.output.receipt));
        this.#end(event.at, {});
        break;
      case "action.failed":
        this.#end(event.at, { "error.type": event.code });
        break;
      case "action.interrupted":
        this.#end(event.at, { "error.type": event.cause ?? "interrupted" });
        break;
      case "loop.completed":
      case "loop.failed":
        this.#over(event.at, event.outcome.code, event.type === "loop.failed");
        break;
      case "loop.stopped":
        this.#over(event.at, "stopped_by_user", false);
        break;
    }
  }

  #does({ at, event }: Activity): void {
    if (event.type === "prompt.sent") {
      // A turn before, that nothing was recorded of, was tried again.
      this.#endTurn(at, null);
      this.#turn = { id: this.#idOf(`turn ${at}`), at };
    } else if (event.type === "command.started") {
      const id = this.#idOf(`command ${at} ${event.command}`);
      this.#commands.push({ id, at, command: event.command });
    } else if (event.type === "command.completed") {
      const index = this.#commands.findLastIndex(({ command }) => command === event.command);
      const [begun] = index < 0 ? [] : this.#commands.splice(index, 1);
      if (begun) this.#endCommand(begun, at, event.exit_code);
    }
  }

  #begin(name: string, at: string, attempt: number, task: string | null): void {
    this.#action = { id: this.#idOf(`action ${name} ${attempt} ${at}`), at, name, attempt, task };
  }

  #end(at: string, failure: Attributes): void {
    this.#endTurn(at, null);
    const action = this.#action;
    this.#action = undefined;
    if (!action) return;
    this.#tell(action, at, `action ${action.name}`, this.#root, {
      "ccw_loop.action": action.name,
      "ccw_loop.attempt": action.attempt,
      "ccw_loop.task.id": action.task,
      ...failure,
    });
  }

  /** With what it used; null for a turn that was cut off. */
  #endTurn(at: string, usage: LoopEventOf<"turn.completed"> | null): void {
    for (const command of this.#commands.splice(0)) this.#endCommand(command, at, null);
    const turn = this.#turn;
    this.#turn = undefined;
    if (!turn) return;
    const { driver, session } = this.#agent;
    const used = usage && {
      "gen_ai.usage.input_tokens": usage.input_tokens,
      "gen_ai.usage.output_tokens": usage.output_tokens,
      "gen_ai.usage.cache_read.input_tokens": usage.cached_input_tokens,
      "ccw_loop.usage.cost_usd": usage.cost_usd ?? null,
    };
    this.#tell(
      turn,
      at,
      `invoke_agent ${driver}`,
      this.#parent,
      {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": PROVIDERS[driver] ?? driver,
        "gen_ai.agent.name": driver,
        "gen_ai.conversation.id": session,
        "gen_ai.request.model": this.#loop.settings?.model ?? null,
        ...(used ?? { "error.type": "interrupted" }),
      },
      "client",
    );
  }

  /** Only the program's name: what stands behind it can hold secrets. */
  #endCommand({ command, ...begun }: Open & { command: string }, at: string, code: number | null) {
    const program = /^[\w./+-]+/.exec(command)?.[0].split("/").at(-1) ?? "shell";
    this.#tell(begun, at, "execute_tool shell", this.#turn?.id ?? this.#parent, {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "shell",
      "process.executable.name": program,
      "process.exit.code": code,
    });
  }

  #ran(runs: readonly TestRun[]): void {
    for (const { cell, start, end, attributes } of runs) {
      const begun = { id: this.#idOf(`tests ${cell} ${start}`), at: new Date(start).toISOString() };
      const of = { "ccw_loop.tests.cell": cell, ...attributes };
      this.#tell(begun, new Date(end).toISOString(), `tests ${cell}`, this.#parent, of);
    }
  }

  #over(at: string, code: string, failed: boolean): void {
    const { created_at: since, settings } = this.#loop;
    this.#tell({ id: this.#root, at: since }, at, "loop", null, {
      "ccw_loop.outcome": code,
      "gen_ai.request.model": settings?.model ?? null,
      ...(failed ? { "error.type": code } : {}),
    });
  }

  get #parent(): string {
    return this.#action?.id ?? this.#root;
  }

  #idOf(about: string): string {
    return spanIdOf(this.#traceId, about);
  }

  #tell(
    { id, at }: Open,
    end: string,
    name: string,
    parent: string | null,
    attributes: Attributes,
    kind: SpanRecord["kind"] = "internal",
  ): void {
    const start = Date.parse(at);
    this.#emit({
      ...{ traceId: this.#traceId, id, parent, name, kind, start },
      // Clocks are set, and no span ends before it began.
      end: Math.max(start, Date.parse(end)),
      attributes: withoutNull({ "ccw_loop.loop.id": this.#loop.loop_id, ...attributes }),
    });
  }
}
