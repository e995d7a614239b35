import { type Activity, LoopError } from "@ccw-loop/core";
import {
  agentLine,
  messageOf,
  outputOf,
  type Paint,
  sanitizeJson,
  sanitizeLine,
  sanitizeText,
  type Tone,
} from "@ccw-loop/view";
import type { Context } from "../runtime/context.ts";
import { listen } from "../runtime/interrupts.ts";
import type { Answer } from "../runtime/perform.ts";

interface LogFlags {
  follow?: true;
  raw?: true;
}

/** What the agent and the tests did, from the beginning; `--follow` goes on until a signal. */
export async function logs(context: Context, id: string, flags: LogFlags): Promise<Answer> {
  if (context.json && flags.follow) {
    const message = "--json prints one document, which cannot follow. Use --raw.";
    throw new LoopError("invalid_input", message);
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
  for await (const record of service.activity(id, flags.follow && { follow: interrupts.signal })) {
    write(record);
    if (interrupts.signal.aborted) break;
  }
  writer.end();
  return { exit: interrupts.exit(0) };
}

/**
 * The records of agent.log as text that reads like a terminal: commands with their output below them, and
 * whole messages. Pieces of messages are left out, because the whole message follows.
 */
export class LogWriter {
  readonly #write: (text: string) => void;
  readonly #paint: Paint;
  #action: string | undefined;
  /** Output was written that did not end its line yet. */
  #open = false;

  constructor(write: (text: string) => void, paint: Paint) {
    this.#write = write;
    this.#paint = paint;
  }

  write({ at, action, event }: Activity): void {
    if (action !== this.#action) this.#line("strong", `── ${action} ${at}`);
    this.#action = action;
    const output = outputOf(event);
    const line = agentLine(event) ?? logLine(event);
    if (output !== undefined) this.#output(output);
    else if (event.type === "message.completed") this.#block(messageOf(event.text));
    else if (line) this.#line(line.tone, line.text);
  }

  /** Ends a line that is still open. */
  end(): void {
    if (this.#open) this.#write("\n");
    this.#open = false;
  }

  #line(tone: Tone, text: string): void {
    this.end();
    this.#write(`${this.#paint(tone, sanitizeLine(text))}\n`);
  }

  #block(text: string): void {
    this.end();
    this.#write(`${sanitizeText(text).trimEnd()}\n`);
  }

  #output(text: string): void {
    const inert = sanitizeText(text);
    if (inert === "") return;
    this.#write(inert);
    this.#open = !inert.endsWith("\n");
  }
}

/** Lines that only a log shows. */
function logLine(event: Activity["event"]): { tone: Tone; text: string } | undefined {
  switch (event.type) {
    case "session.started":
      return { tone: "quiet", text: `session ${event.session_id} started` };
    case "session.resumed":
      return { tone: "quiet", text: `session ${event.session_id} resumed` };
    case "prompt.sent":
      return { tone: "quiet", text: `prompt: ${event.text.trimStart().split("\n", 1)[0] ?? ""}` };
    case "command.completed":
      return event.exit_code === 0
        ? undefined
        : { tone: "bad", text: `exit code ${event.exit_code ?? "none"}` };
    default:
      return undefined;
  }
}
