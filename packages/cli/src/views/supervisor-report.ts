import type { LiveEvent } from "@ccw-loop/core";
import type { SupervisorNotice } from "@ccw-loop/orchestrator";
import type { Tone } from "@ccw-loop/view";
import { sanitizeJson, sanitizeLine } from "@ccw-loop/view";
import type { Context } from "../context.ts";
import { eventLine, noticeLine, noticeRecord } from "./supervisor-lines.ts";

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
