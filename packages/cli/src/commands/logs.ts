import { type Activity, LoopError } from "@ccw-loop/core";
import { sanitizeJson } from "@ccw-loop/view";
import type { Answer, StreamedAnswer } from "../answer.ts";
import type { Context } from "../context.ts";
import { exitCodeFor, listen } from "../interrupts.ts";
import { LogWriter } from "../views/log-writer.ts";

interface LogFlags {
  follow?: true;
  raw?: true;
}

/** What the agent and the tests did, from the beginning; `--follow` goes on until a signal. */
export async function logs(
  context: Context,
  id: string,
  flags: LogFlags,
): Promise<Answer | StreamedAnswer> {
  if (context.json && flags.follow) {
    throw new LoopError(
      "invalid_input",
      "--json prints one document, which cannot follow. Use --raw.",
    );
  }
  const service = await context.parts.loops();
  await service.get(id);
  if (context.json) {
    const activity: Activity[] = [];
    for await (const record of service.activity(id)) activity.push(record);
    return { data: { loop_id: id, activity }, text: "" };
  }
  using interrupts = listen(context.io, {});
  const { stdout } = context.io;
  const writer = new LogWriter((text) => void stdout.write(text), context.paint);
  const write = (record: Activity) =>
    flags.raw ? void stdout.write(`${sanitizeJson(record)}\n`) : writer.write(record);
  for await (const record of service.activity(id, flags.follow && interrupts.signal)) {
    write(record);
    if (interrupts.signal.aborted) break;
  }
  writer.end();
  return { streamed: true, exit: interrupts.first ? exitCodeFor(interrupts.first) : 0 };
}
