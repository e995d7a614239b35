import {
  clip,
  LIMIT_OUTCOMES,
  type LoopEvent,
  type LoopState,
  openObjections,
  type Receipt,
} from "@ccw-loop/core";
import { headline, nextCommands, receiptText, sanitizeLine, sanitizeText } from "@ccw-loop/view";

/**
 * How a loop can stand so that somebody wants to know: it needs a person; it reached a bound, or its agent did; it ended
 * proven, or by a person's word (objections accepted, tests waived); or it failed.
 */
export const MESSAGE_STATES = ["needs you", "limit", "proven", "accepted", "failed"] as const;
export type MessageState = (typeof MESSAGE_STATES)[number];

/** That a loop came to stand so, by the commit `revision`. */
export interface Standing {
  loop: string;
  revision: number;
  state: MessageState;
  /** When, RFC 3339. */
  at: string;
}

/** What is sent as it is in the plain format. */
export interface Message {
  type: string;
  timestamp: string;
  data: {
    state: MessageState;
    /** Only in what `config test-webhook` sends. */
    sample?: true;
    project: string;
    loop: {
      id: string;
      revision: number;
      title: string;
      status: LoopState["status"];
      iteration: number;
      max_iterations: number;
    };
    /** How it stands, in a sentence. */
    text: string;
    /** What a person is asked; null unless the loop waits for one. */
    asked: { prompt: string; options: string[] } | null;
    /** When the loop goes on by itself (RFC 3339), else null. */
    until: string | null;
    outcome: { code: string; message: string } | null;
    receipt: ReturnType<typeof receiptSummary> | null;
    /** Commands that make sense now. */
    next: string[];
  };
}

/** Texts of agents and tests are cut behind so many characters. */
const LONGEST = 4000;

/** How a loop came to stand by an event; undefined for what nobody waits for. */
export function standingBy(
  { revision, event }: { revision: number; event: LoopEvent },
  loop: string,
) {
  const state = stateBy(event);
  return state && ({ loop, revision, state, at: event.at } satisfies Standing);
}

function stateBy(event: LoopEvent): MessageState | undefined {
  if (event.type === "waiting.started")
    return stateOf({ status: "running", waiting: event.waiting });
  if (event.type === "loop.completed") return stateOf({ status: "completed", ...event });
  if (event.type === "loop.failed") return stateOf({ status: "failed", ...event });
  return undefined;
}

/** How a loop stands now; undefined where nobody has to be told. A loop that a person stopped is none of these. */
export function stateOf({
  status,
  waiting,
  outcome,
}: Pick<LoopState, "status" | "waiting" | "outcome">): MessageState | undefined {
  if (status === "completed") return outcome?.code === "proven" ? "proven" : "accepted";
  if (status === "failed") {
    if (outcome?.code === "stopped_by_user") return undefined;
    return LIMIT_OUTCOMES.includes(outcome?.code ?? "") ? "limit" : "failed";
  }
  if (status !== "running" || !waiting) return undefined;
  return waiting.kind === "usage_limit" ? "limit" : "needs you";
}

/** By which a receiver knows a message that comes twice: the same for every try, also of another process. */
export function messageId({ loop, revision, state }: Standing): string {
  return `${loop}.${revision}.${state.replaceAll(" ", "_")}`;
}

export function messageOf(standing: Standing, loop: LoopState, project: string): Message {
  const { waiting, outcome, receipts = [] } = loop;
  const receipt = receipts.at(-1);
  const isAsked = standing.state === "needs you";
  const cut = (text: string) => clip(sanitizeText(text), LONGEST);
  return {
    type: `loop.${standing.state.replaceAll(" ", "_")}`,
    timestamp: standing.at,
    data: {
      state: standing.state,
      project,
      loop: {
        id: loop.loop_id,
        revision: standing.revision,
        title: sanitizeLine(loop.title),
        status: loop.status,
        iteration: loop.current_iteration,
        max_iterations: loop.max_iterations,
      },
      text: clip(headline(loop)[1].replace(/[:·\s]+$/, ""), LONGEST),
      asked: isAsked
        ? { prompt: cut(waiting?.prompt ?? ""), options: (waiting?.options ?? []).map(cut) }
        : null,
      until: isAsked ? null : (waiting?.until ?? null),
      outcome: outcome ? { code: outcome.code, message: cut(outcome.message) } : null,
      receipt: receipt ? receiptSummary(loop, receipt) : null,
      next: nextCommands(loop).map(sanitizeLine),
    },
  };
}

function receiptSummary(loop: LoopState, receipt: Receipt) {
  return {
    id: receipt.id,
    passed: receipt.passed,
    summary: clip(sanitizeLine(receiptText(receipt)), LONGEST),
    counts: receipt.counts,
    open_objections: openObjections(loop).length,
    tree: receipt.tree_after,
  };
}
