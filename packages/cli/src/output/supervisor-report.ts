import { type LiveEvent, type LoopState, statusText } from "@ccw-loop/core";
import type { SupervisorNotice } from "@ccw-loop/orchestrator";
import { formatDuration, sanitizeJson, sanitizeLine, type Tone, waitingText } from "@ccw-loop/view";
import type { Context } from "../runtime/context.ts";

interface ReportOptions {
  /** Lines of JSON on stdout instead of lines for people on stderr. */
  events: boolean;
  /** Whether the loops are being given back because this process was told to end. */
  isEnding: () => boolean;
  /** Of several projects, the one these loops belong to. */
  project?: string;
}

/** What a supervisor tells while it works, and what it did when it is done. */
export function supervisorReport(context: Context, { events, isEnding, project }: ReportOptions) {
  const { io, paintError } = context;
  const driven = new Set<string>();
  const givenBack: string[] = [];
  const mark = project === undefined ? {} : { project };
  const name = project === undefined ? "" : `${project}: `;
  const write = (record: object) =>
    void io.stdout.write(`${sanitizeJson({ ...record, ...mark })}\n`);
  const say = ([tone, text]: [Tone, string]) => {
    const time = `${new Date().toISOString().slice(0, 19)}Z`;
    context.say(`${paintError("quiet", time)} ${paintError(tone, sanitizeLine(name + text))}`);
  };
  return {
    say,
    onNotice(notice: SupervisorNotice) {
      if (notice.type === "loop.taken") driven.add(notice.id);
      if (notice.type === "loop.given_back" && isEnding()) {
        const { status, waiting } = notice.state;
        if (status === "running" && !waiting) givenBack.push(notice.id);
      }
      if (events) write(noticeRecord(new Date().toISOString(), notice));
      else say(noticeLine(notice));
    },
    onEvent(live: LiveEvent) {
      if (events) return write(live);
      const line = eventLine(live);
      if (line) say(line);
    },
    data: () => ({ driven: [...driven], given_back: givenBack }),
  };
}

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
      return [
        "warning",
        `Giving back ${notice.ids.join(", ")}. Press Ctrl-C again to quit immediately.`,
      ];
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
  const { error, retry_in_ms } = trouble;
  return `tried again in ${formatDuration(retry_in_ms)}: ${error.message}`;
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
  const { retry_in_ms, error } = notice;
  const id = type === "loop.put_off" ? notice.id : null;
  const { code, message } = error;
  return { kind: "supervisor", at, type, id, error: { code, message }, retry_in_ms };
}
