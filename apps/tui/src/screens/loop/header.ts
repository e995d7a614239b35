import type { LoopState } from "@ccw-loop/core";
import {
  receiptText,
  STATUS_TONES,
  sanitizeLine,
  statusSummary,
  type TonedLine,
  truncateToWidth,
  waitOf,
  worktreeOf,
} from "@ccw-loop/view";
import { fit, type Line, line, lineWidth, span } from "../../frame/line.ts";
import { wrappedTo } from "../../frame/wrap.ts";
import { type Model, shellCommand } from "../../model/model.ts";
import { isKnownUndriven } from "./driver.ts";
import { limitBars } from "./limit-bars.ts";
import { sequenceLine } from "./rail.ts";
import type { LoopScreenState } from "./state.ts";

/** What stands above the panes: title, rail, limits, and what is to be said of it now. */
export function headerLines(
  screen: LoopScreenState,
  model: Model,
  { columns, roomy }: { columns: number; roomy: boolean },
): Line[] {
  const progress = model.opened?.progress;
  if (!progress) return [line(openingText(model), model.opened?.gone ? "bad" : "quiet")];
  const { state } = progress;
  const said = statusLine(screen, state, model);
  return [
    titleLine(screen, model, state, columns),
    sequenceLine(progress, model.now, columns),
    ...limitBars(state, model.now, columns, roomy ? 2 : 1),
    ...wrappedTo(said.text, { columns, rows: roomy ? 2 : 1 }, said.tone),
    ...homeLines(state),
  ];
}

/** What is shown while there is nothing to show. */
export function openingText({ opened }: Model): string {
  if (opened?.gone) return `This loop cannot be shown: ${opened.gone}`;
  return "The loop is being read.";
}

function titleLine(screen: LoopScreenState, model: Model, state: LoopState, columns: number): Line {
  const driven = drivenText(screen, model, state);
  const right: Line = [
    span(statusSummary(state, new Date(model.now)), STATUS_TONES[state.status]),
    ...(driven === "" ? [] : [span(` · ${truncateToWidth(driven, 30)}`, "quiet")]),
  ];
  const room = columns - lineWidth(right) - 2;
  if (room < 10) return [span(`${state.title}  `, "strong"), ...right];
  return [...fit(line(state.title, "strong"), room), span("  "), ...right];
}

/** Who drives it; empty while that is not known, and for a loop that rests. */
export function drivenText(
  { driver }: LoopScreenState,
  { driven, place }: Model,
  state: LoopState,
): string {
  if (driven.has(state.loop_id)) return "driven here";
  // A loop that waits holds no lease.
  if (state.status !== "running" || state.waiting) return "";
  if (driver === undefined) return "";
  if (driver.driven_by !== null) return `driven by ${driver.driven_by}`;
  return place.drives || driver.undriven_since !== null ? "driven by nobody" : "";
}

/** What brings the work of a completed loop home that has a worktree of its own. */
export function homeLines(state: LoopState): Line[] {
  const { branch } = worktreeOf(state) ?? {};
  if (branch === undefined || state.status !== "completed") return [];
  return [line(`Its work is on a branch of its own: git merge ${branch}`, "name")];
}

/** The one thing to know now: that nobody drives it, what it waits for, how it ended, or what its tests said last. */
export function statusLine(screen: LoopScreenState, state: LoopState, model: Model): TonedLine {
  if (model.opened?.gone) return { tone: "bad", text: model.opened.gone };
  const since = screen.driver?.undriven_since ?? null;
  if (since !== null && isKnownUndriven(screen, model)) {
    const command = shellCommand(model.place, `resume ${state.loop_id}`);
    const how = model.place.drives ? "Drive it here, or in a shell with" : "Drive it with";
    const text = `Nobody has driven it since ${since.slice(0, 19)}Z. ${how}: ${command}`;
    return { tone: "warning", text };
  }
  const waits = waitOf(state, new Date(model.now));
  if (waits !== undefined) return { tone: "warning", text: sanitizeLine(waits) };
  const { outcome, status } = state;
  if (outcome && (status === "completed" || status === "failed")) {
    const text = `${outcome.code}: ${outcome.message}`;
    const good = status === "completed" && outcome.code !== "waived";
    return { tone: good ? "good" : status === "completed" ? "warning" : "bad", text };
  }
  const receipt = state.receipts?.at(-1);
  if (!receipt) return { tone: "quiet", text: "The tests have not been run." };
  return { tone: receipt.passed ? "good" : "bad", text: `Last run ${receiptText(receipt)}` };
}
