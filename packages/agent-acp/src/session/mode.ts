import type { RpcProgram } from "@ccw-loop/processes/json-rpc";
import { listAt, textAt } from "../json.ts";
import { allowsAll, modeProblem } from "../launch/asking.ts";
import type { Outcome } from "./ask.ts";
import { choiceIn, choose, misconfigured } from "./choices.ts";
import type { ConversationSpec } from "./conversation-spec.ts";

/** The mode that a session shall stay in. */
export interface KeptMode {
  value: string;
  /** Of the option by which it is chosen; null where that has a method of its own. */
  configId: string | null;
}

/**
 * The mode that asks, as the profile names it; without one that which the session is in, if it asks. Null for an agent
 * that has no modes and of which none is wanted: it asks, or does not, by its own settings.
 */
export async function takeMode(
  program: RpcProgram,
  spec: ConversationSpec,
  sessionId: string,
  result: unknown,
): Promise<Outcome<KeptMode | null>> {
  const { mode, title } = spec.profile;
  const choice = choiceIn(result, "mode");
  const value = mode ?? choice?.now ?? null;
  const open = optionThatAllowsAll(result);
  if (open !== null) return misconfigured(`${title} is not used: ${open}`);
  if (value === null) return { ok: true, result: null };
  const problem = modeProblem(value);
  if (problem !== null) return misconfigured(`${title} is not used: ${problem}`);
  const kept = { value, configId: choice?.configId ?? null };
  if (choice?.now === value) return { ok: true, result: kept };
  if (choice && !choice.all.includes(value)) {
    return misconfigured(`${title} has no mode ${value}; there are ${choice.all.join(", ")}`);
  }
  const chosen = await choose(program, spec, sessionId, { ...kept, category: "mode" });
  if (chosen.ok) return { ok: true, result: kept };
  // Nobody knows in which mode an agent is that does not tell its modes.
  if (choice || chosen.failure.kind === "crash") return chosen;
  return misconfigured(`${title} does not take the mode ${value}: ${chosen.failure.message}`);
}

/** What else of a session lets it ask nobody, as the end of a sentence; null where nothing does. */
function optionThatAllowsAll(told: unknown): string | null {
  const option = listAt(told, "configOptions").find((one) => {
    const names = ["id", "name"].map((key) => textAt(one, key) ?? "");
    return textAt(one, "category") !== "model" && names.some(allowsAll) && isOn(one);
  });
  if (option === undefined) return null;
  return `with its option ${textAt(option, "id") ?? "?"} it may write and run without asking`;
}

function isOn(option: unknown): boolean {
  const { currentValue } = option as { currentValue?: unknown };
  return !/^(?:|undefined|null|false|off|no|none|never|disabled?|ask|default|0)$/i.test(
    String(currentValue),
  );
}

/** So often an agent is put back; one that keeps leaving will not stay. */
const MOST_RETURNS = 5;

interface GuardedSession {
  program: RpcProgram;
  spec: ConversationSpec;
  sessionId: string;
  /** Null for a session without modes. */
  kept: KeptMode | null;
  warn: (message: string) => void;
}

/** Keeps a session in its mode, in its turns and between them; an agent that cannot be put back is ended. */
export class ModeGuard {
  readonly #session: GuardedSession;
  #returns = 0;
  #isReturning = false;
  #ended: Promise<unknown> = Promise.resolve();

  constructor(session: GuardedSession) {
    this.#session = session;
  }

  /** Resolves at once, or when an agent that this ends is gone with all its processes. */
  get ended(): Promise<unknown> {
    return this.#ended;
  }

  /** Takes in the `update` of any `session/update`. */
  heard(update: unknown): void {
    const open = optionThatAllowsAll(update);
    if (open !== null) this.#end(`is ended: ${open}`);
    const { kept } = this.#session;
    const isOwn = textAt(update, "sessionUpdate") === "current_mode_update";
    const mode = isOwn ? textAt(update, "currentModeId") : choiceIn(update, "mode")?.now;
    if (mode === undefined || lastPart(mode) === lastPart(kept?.value ?? "")) return;
    const problem = modeProblem(mode);
    // An option may have other words for the modes that are chosen by the method.
    const isLeft = kept !== null && (isOwn || kept.configId !== null || problem !== null);
    if (isLeft) void this.#putBack(kept, mode);
    else if (problem !== null) this.#end(`went over to another mode, and is ended: ${problem}`);
  }

  async #putBack(kept: KeptMode, mode: string): Promise<void> {
    if (this.#isReturning) return;
    const { program, spec, sessionId, warn } = this.#session;
    warn(`It went over to the mode ${mode}, and is put back to ${kept.value}.`);
    this.#isReturning = true;
    this.#returns += 1;
    const chosen = await choose(program, spec, sessionId, { ...kept, category: "mode" });
    this.#isReturning = false;
    if (!chosen.ok) this.#end(`cannot be put back, and is ended: ${chosen.failure.message}`);
    else if (this.#returns > MOST_RETURNS) this.#end("does not stay in its mode, and is ended");
  }

  /** Its turn fails then, and the next one begins with a new process. */
  #end(why: string): void {
    const { program, warn } = this.#session;
    if (!program.alive) return;
    warn(`It ${why}.`);
    this.#ended = program.kill().catch(() => undefined);
  }
}

function lastPart(mode: string): string {
  return mode.split("#").at(-1) ?? mode;
}
