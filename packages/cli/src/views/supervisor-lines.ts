import { type LiveEvent, type LoopState, statusText } from "@ccw-loop/core";
import type { SupervisorNotice } from "@ccw-loop/orchestrator";
import type { Tone } from "@ccw-loop/view";
import { formatDuration, waitingText } from "@ccw-loop/view";

/** What a supervisor says about its loops, on one line. */
export function noticeLine(notice: SupervisorNotice): [Tone, string] {
  switch (notice.type) {
    case "loop.taken":
      return ["name", `${notice.id} taken up`];
    case "loop.given_back":
      return standing(notice.state);
    case "loop.lost":
      return ["warning", `${notice.id} lost: another process drives it now`];
    case "loop.put_off":
      return ["bad", `${notice.id} ${again(notice)}`];
    case "store.failed":
      return ["bad", `The loops cannot be read, ${again(notice)}`];
    case "drain.started":
      return ["warning", `Giving back ${notice.ids.join(", ")}. The same again leaves at once.`];
  }
}

function standing(state: LoopState): [Tone, string] {
  const { loop_id: id, status, waiting, outcome } = state;
  if (status === "running" && waiting) return ["warning", `${id} ${waitingText(waiting)}`];
  if (status === "running")
    return ["warning", `${id} given back; the next supervisor goes on with it`];
  const tone = status === "completed" ? "good" : status === "failed" ? "bad" : "warning";
  return [tone, `${id} ${statusText(state)}${outcome ? `: ${outcome.message}` : ""}`];
}

function again(trouble: Extract<SupervisorNotice, { retry_in_ms: number }>): string {
  const { error, retry_in_ms, unsaid } = trouble;
  const more = unsaid > 0 ? ` (and ${unsaid} more like this)` : "";
  return `tried again in ${formatDuration(retry_in_ms)}: ${error.message}${more}`;
}

/** Of a loop's own events only how its actions end; `show` and `logs` tell the rest. */
export function eventLine(live: LiveEvent): [Tone, string] | undefined {
  if (live.kind !== "recorded") return undefined;
  const { event } = live.recorded;
  if (event.type === "action.failed")
    return ["bad", `${live.id} ${event.action} failed: ${event.message}`];
  if (event.type !== "action.completed" || event.action === "MENU") return undefined;
  const done = event.action === "VALIDATE" ? "" : " done";
  return ["plain", `${live.id} ${event.action}${done}: ${event.message}`];
}

/** A notice as programs get it, beside the loops' own events. */
export function noticeRecord(at: string, notice: SupervisorNotice) {
  const { type } = notice;
  if (type === "drain.started") return { kind: "supervisor", at, type, ids: notice.ids };
  if (type === "loop.taken" || type === "loop.lost")
    return { kind: "supervisor", at, type, id: notice.id };
  if (type === "loop.given_back") {
    const { id, state } = notice;
    const { status, waiting = null, outcome = null } = state;
    return { kind: "supervisor", at, type, id, status, waiting, outcome };
  }
  const { retry_in_ms, unsaid, error } = notice;
  const id = type === "loop.put_off" ? notice.id : null;
  const { code, message } = error;
  return { kind: "supervisor", at, type, id, error: { code, message }, retry_in_ms, unsaid };
}
