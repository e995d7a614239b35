import type { SupervisorNotice } from "@ccw-loop/orchestrator";
import type { Answer, Streamed } from "../answer.ts";
import type { Context } from "../context.ts";
import { driving } from "../driven.ts";
import { exitCodeFor, listen } from "../interrupts.ts";
import { inertJson, inertLine } from "../text/inert-text.ts";
import type { Tone } from "../text/paint.ts";
import { eventLine, noticeLine, noticeRecord } from "../views/supervisor-lines.ts";

export interface SuperviseFlags {
  concurrency?: number;
  events?: true;
}

/**
 * Drives every running loop of the project until a signal comes; the loops that are under way then stay running for
 * the next supervisor. The second signal leaves at once.
 */
export async function supervise(
  context: Context,
  { concurrency = 4, events }: SuperviseFlags,
): Promise<Answer | Streamed> {
  const { io, paintError, root } = context;
  const loops = await context.parts.loops();
  await (await context.parts.processes()).sweep();
  using interrupts = listen(io, { ignore: "SIGPIPE" });
  const write = (record: unknown) => void io.stdout.write(`${inertJson(record)}\n`);
  const say = ([tone, text]: [Tone, string]) => {
    const time = `${new Date().toISOString().slice(0, 19)}Z`;
    context.say(`${paintError("quiet", time)} ${paintError(tone, inertLine(text))}`);
  };
  const taken = new Set<string>();
  const givenBack: string[] = [];
  const note = (notice: SupervisorNotice) => {
    if (notice.type === "loop.taken") taken.add(notice.id);
    if (notice.type === "loop.given_back" && interrupts.first !== undefined) {
      const { status, waiting } = notice.state;
      if (status === "running" && !waiting) givenBack.push(notice.id);
    }
    if (events) write(noticeRecord(new Date().toISOString(), notice));
    else say(noticeLine(notice));
  };
  using _mark = driving(root);
  if (!events) say(["quiet", `Driving the running loops of ${root}, ${concurrency} at once.`]);
  const work = loops.supervise({
    concurrency,
    signal: interrupts.signal,
    onNotice: note,
    onEvent: (live) => {
      if (events) return write(live);
      const line = eventLine(live);
      if (line) say(line);
    },
  });
  const second = await Promise.race([work.then(() => undefined), interrupts.second]);
  const ending = second === undefined ? {} : { exit: exitCodeFor(second), atOnce: true as const };
  if (events) return { streamed: true, ...ending };
  const data = { driven: [...taken], given_back: givenBack };
  return { data, text: "", ...ending };
}
