import { type Line, line, span } from "../../frame/line.ts";
import { type Model, shellCommand } from "../../model/model.ts";
import type { Row } from "../../model/row.ts";
import { type Damaged, isDamaged } from "./order.ts";
import { countdown } from "./row-line.ts";
import { selectedEntry } from "./selection.ts";
import type { HomeState } from "./state.ts";
import { BOUND_WORDS, HEALTH_WORDS, rowStatus } from "./words.ts";

/** Two lines on the selected loop: which it is, and what there is to know about it. */
export function detailLines(state: HomeState, model: Model, columns: number): Line[] {
  const entry = selectedEntry(state, model.loops);
  const rule = line("─".repeat(columns), "quiet");
  if (entry === undefined) return [rule];
  if (isDamaged(entry)) {
    return [headOf(entry.id, columns), [span(" "), span(recoveryText(entry, model), "bad")]];
  }
  return [headOf(entry.id, columns), [span(" "), ...aboutRow(entry, model)]];
}

/** What to do about a loop that cannot be read. */
export function recoveryText({ id, reason }: Damaged, { place }: Pick<Model, "place">): string {
  return `What can be saved: ${shellCommand(place, `recover ${id}`)} · ${reason}`;
}

function headOf(id: string, columns: number): Line {
  const name = ` ${id} `;
  return line(`─${name}${"─".repeat(Math.max(0, columns - name.length - 1))}`, "quiet");
}

/** How it stands, whether this process drives it, and what it waits for or has used. */
export function aboutRow(row: Row, model: Pick<Model, "driven" | "now">): Line {
  const { tone } = HEALTH_WORDS[row.health];
  const facts = [
    ...(row.undrivenSince === null ? [] : [`by nobody since ${row.undrivenSince.slice(0, 19)}Z`]),
    ...(row.until === null ? [] : [`goes on ${countdown(row.until, model.now)}`]),
    ...(row.waits === null ? [] : [row.waits]),
    ...(model.driven.has(row.id) ? ["driven here"] : []),
    `${Math.round(row.used.share * 100)} % of ${BOUND_WORDS[row.used.bound]} used`,
    ...(row.tags.length > 0 ? [row.tags.join(", ")] : []),
  ];
  return [span(rowStatus(row), tone), span(` · ${facts.join(" · ")}`)];
}
