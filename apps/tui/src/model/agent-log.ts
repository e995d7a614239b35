import type { Activity } from "@ccw-loop/core";
import {
  noOpenLine,
  type OpenLine,
  openLineText,
  type TonedLine,
  withRecord,
} from "@ccw-loop/view";

/** The newest lines of what the agent and the tests do; bounded, whatever they print. */
export interface AgentLog {
  lines: readonly TonedLine[];
  /** The last one of `lines` is still being written. */
  open: boolean;
  unended: OpenLine;
  /** Lines that fell out at the top: the number of the first line kept. */
  dropped: number;
}

export const emptyLog: AgentLog = { lines: [], open: false, unended: noOpenLine, dropped: 0 };

export const LINES_KEPT = 5000;

/** With a batch of records behind it; `leftOut` records before them were too many to be told. */
export function appended(log: AgentLog, batch: readonly Activity[], leftOut = 0): AgentLog {
  if (batch.length === 0 && leftOut === 0) return log;
  const lines = log.lines.slice(0, log.open ? -1 : undefined);
  let { unended, dropped } = log;
  const tell = (line: TonedLine) => {
    lines.push(line);
    if (lines.length < 2 * LINES_KEPT) return;
    dropped += LINES_KEPT;
    lines.splice(0, LINES_KEPT);
  };
  /** An action may take several turns; its name is told once in a row. */
  const begin = (action: string) => {
    const text = `── ${action} ──`;
    if (lines.at(-1)?.text !== text) tell({ tone: "strong", text });
  };
  if (leftOut > 0) {
    tell({ tone: "warning", text: `… ${leftOut} pieces of output came too fast and are left out` });
  }
  for (const record of batch) {
    unended = withRecord(unended, record, tell);
    if (record.event.type === "prompt.sent") begin(record.action);
  }
  const open = openLineText(unended);
  if (open) lines.push(open);
  const over = Math.max(0, lines.length - LINES_KEPT);
  lines.splice(0, over);
  return { lines, open: open !== undefined, unended, dropped: dropped + over };
}

/**
 * The number of the nearest line that holds `text`, in any case, from line `from` on (`forward`) or back; it goes on
 * at the other end. Null when there is none, or nothing to look for.
 */
export function foundLine(
  { lines, dropped }: AgentLog,
  text: string,
  { from, forward }: { from: number; forward: boolean },
): number | null {
  const wanted = text.toLowerCase();
  if (wanted === "" || lines.length === 0) return null;
  const count = lines.length;
  const start = Math.min(count - 1, Math.max(0, from - dropped));
  for (let i = 0; i < count; i++) {
    const at = (start + (forward ? i : -i) + count) % count;
    if (lines[at]?.text.toLowerCase().includes(wanted)) return at + dropped;
  }
  return null;
}
