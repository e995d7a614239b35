import { checkInterval } from "@ccw-loop/processes";
import { isDoneWithin, type RpcProgram } from "@ccw-loop/processes/json-rpc";
import { type Failure, failureOfEnd } from "../failure/failure.ts";
import type { Profile } from "../launch/profiles.ts";
import type { AcpLimits } from "../options.ts";
import { ask } from "../session/ask.ts";
import type { TurnDecoder } from "./decode.ts";
import type { OwnProcesses } from "./own-processes.ts";

export interface TurnContext {
  program: RpcProgram;
  sessionId: string;
  own: OwnProcesses;
  profile: Profile;
  limits: AcpLimits;
  signal: AbortSignal;
  decoder: TurnDecoder;
  /** Called when the turn is cut off: nothing that it asks is accepted any more. */
  onCut: () => void;
  /** When the agent last said anything; monotonic milliseconds. */
  lastHeardAt: () => number;
}

/** How a turn ended. `result` is the agent's own answer to the prompt. */
export type TurnEnd =
  | { type: "completed"; text: string; result: unknown }
  | { type: "aborted" }
  | { type: "failed"; failure: Failure };

/**
 * Runs one turn to its end, whatever that is: its result, an error of the agent, its death, one of our limits, or the
 * caller's abort. No process of the turn is alive when this resolves; the agent itself is, unless it died or did not obey.
 */
export async function runTurn(context: TurnContext, prompt: string): Promise<TurnEnd> {
  const { program, sessionId, profile, limits, signal, decoder } = context;
  // What an earlier turn started behind its end.
  await endOthers(context);
  if (signal.aborted) return { type: "aborted" };
  const begunAt = performance.now();
  const lastHeardAt = () => Math.max(begunAt, context.lastHeardAt());
  const text = { type: "text", text: prompt };
  const asked = ask(
    program,
    "session/prompt",
    { sessionId, prompt: [text] },
    Number.POSITIVE_INFINITY,
  );

  const { promise: cutOff, resolve } = Promise.withResolvers<TurnEnd>();
  const cut = (end: TurnEnd) => {
    context.onCut();
    resolve(end);
  };
  const abort = () => cut({ type: "aborted" });
  signal.addEventListener("abort", abort, { once: true });
  const look = () => {
    const failure = exceededLimit({ ...context, lastHeardAt }, performance.now());
    if (failure) cut({ type: "failed", failure });
  };
  const timer = setInterval(look, checkInterval(limits.silenceMs, limits.commandMs));
  try {
    const answered = await Promise.race([asked, cutOff.then(() => null)]);
    if (answered === null) {
      await stopTurn(context, asked);
      return await cutOff;
    }
    if (!decoder.isCommandAtWork()) context.own.adopt();
    await endOthers(context);
    if (!answered.ok) return { type: "failed", failure: answered.failure };
    const failure = failureOfEnd(answered.result, decoder.lastWords, profile);
    if (failure) return { type: "failed", failure };
    return { type: "completed", text: decoder.lastWords, result: answered.result };
  } finally {
    clearInterval(timer);
    signal.removeEventListener("abort", abort);
  }
}

/** What a turn left running belongs to nobody any more. Throws `system_unavailable` when it cannot be ended. */
async function endOthers({ program, own }: TurnContext): Promise<void> {
  if (!program.alive) return;
  const left = await own.endOthers();
  if (left.length > 0) await program.kill();
}

/**
 * Ends a turn and every process of it: `cancelled` does not mean that its commands have ended. An agent that does not
 * answer is ended itself.
 */
async function stopTurn(context: TurnContext, asked: Promise<unknown>): Promise<void> {
  const { program, sessionId, limits } = context;
  program.notify("session/cancel", { sessionId });
  const isQuick = await isDoneWithin(limits.cancelMs, asked);
  await endOthers(context);
  if (isQuick) return;
  // Some wait for their commands before they answer.
  if (await isDoneWithin(limits.cancelEndMs - limits.cancelMs, asked)) return endOthers(context);
  await program.kill();
}

/** Why the running turn has to be ended now, or null: agents retry for minutes without a word. */
function exceededLimit(
  {
    decoder,
    limits,
    lastHeardAt,
    profile,
  }: Pick<TurnContext, "decoder" | "limits" | "lastHeardAt" | "profile">,
  now: number,
): Failure | null {
  const quiet = now - lastHeardAt();
  const { title } = profile;
  const { atWork } = decoder;
  const [kind, limit, who] = atWork
    ? (["command", limits.commandMs, `What ${title} runs (${atWork.name.slice(0, 200)})`] as const)
    : (["silence", limits.silenceMs, title] as const);
  if (quiet <= limit) return null;
  return { kind, message: `${who} gave no sign of life within ${limit / 1000} s` };
}
