import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  isLoopError,
  LAST_LOOP,
  LoopError,
  LoopId,
  type LoopService,
  loopsMeant,
} from "@ccw-loop/core";
import { sanitizeLine } from "@ccw-loop/view";
import type { Argument, Command, Option } from "commander";
import type { Context } from "./context.ts";
import { loopFolder } from "./project-root.ts";

/** Whether a loop that exists is named there. Other commands give a new loop its id with `--loop-id`. */
export function takesLoop(place: Argument | Option, command: Command): boolean {
  return "long" in place
    ? place.long === "--loop-id" && command.name() === "run"
    : place.name() === "id";
}

/** The arguments of a command, with the whole id in the place of each short name of a loop. */
export async function withWholeIds<A extends unknown[]>(
  args: A,
  command: Command,
  context: Context,
): Promise<A> {
  const options: Record<string, unknown> = command.opts();
  const whole = async (text: unknown) =>
    typeof text === "string" ? wholeLoopId(context, text, options) : text;
  for (const [at, argument] of command.registeredArguments.entries()) {
    if (takesLoop(argument, command)) args[at] = await whole(args[at]);
  }
  const option = command.options.find((one) => takesLoop(one, command));
  // With --create it is the id of a new loop.
  if (option && !options.create) {
    const name = option.attributeName();
    options[name] = await whole(options[name]);
    args[command.registeredArguments.length] = options;
  }
  return args;
}

/**
 * The id of the loop that a person names by its id, by a beginning of it that no other has, by its short id, or as the one
 * that was made last. A text that means none stays as it is: the command says what is wrong. Throws `invalid_id`, with the
 * loops, for a text that means several.
 */
export async function wholeLoopId(
  context: Context,
  text: string,
  { yes }: { yes?: unknown } = {},
): Promise<string> {
  const id = text === LAST_LOOP ? await lastMade(context) : await meant(context, text);
  if (id === text) return id;
  if (yes) {
    throw new LoopError(
      "invalid_input",
      `With --yes a loop is named by its whole id, for nobody is asked. ${JSON.stringify(text)} means ${id}.`,
    );
  }
  if (!context.json) context.say(context.paintError("quiet", `Loop ${sanitizeLine(id)}`));
  return id;
}

/** A project has more loops than anybody reads: of those that a text means, so many are named. */
const MOST_NAMED = 10;
const PAGE = 500;

async function meant(context: Context, text: string): Promise<string> {
  if (!LoopId.safeParse(text).success) return text;
  const { remote, parts, root } = context;
  const isFile = existsSync(join(loopFolder(root), `${text}.json`));
  if (isFile && remote === null && (await parts.storeChoice()) === undefined) return text;
  const loops = await context.parts.loops();
  try {
    await loops.get(text);
    return text;
  } catch (error) {
    // One that cannot be read is there.
    if (!isLoopError(error, "loop_not_found")) return text;
  }
  const ids: string[] = [];
  for await (const page of pages(loops, text)) {
    ids.push(...page.loops.map(({ state }) => state.loop_id), ...page.damaged.map(({ id }) => id));
  }
  const found = loopsMeant(text, [...new Set(ids)]).sort();
  const [only = text] = found;
  if (found.length < 2) return only;
  const named = found.slice(0, MOST_NAMED);
  const more = found.length > named.length ? ` and ${found.length - named.length} more` : "";
  throw new LoopError(
    "invalid_id",
    `${JSON.stringify(text)} may mean ${found.length} loops: ${named.join(", ")}${more}. Give more of the id.`,
    { details: { loops: found } },
  );
}

async function lastMade(context: Context): Promise<string> {
  const made: { at: string; id: string }[] = [];
  for await (const { loops, damaged } of pages(await context.parts.loops())) {
    const [broken] = damaged;
    if (broken) {
      const message = `${LAST_LOOP} means no loop while one cannot be read, ${broken.id}: nobody knows when it was made. Name the loop.`;
      throw new LoopError("invalid_id", message);
    }
    made.push(...loops.map(({ state }) => ({ at: state.created_at, id: state.loop_id })));
  }
  const newest = made.reduce((last, { at }) => (at > last ? at : last), "");
  const [last, twin] = made.filter(({ at }) => at === newest);
  if (last === undefined) {
    throw new LoopError("loop_not_found", `There is no loop yet that ${LAST_LOOP} could mean.`);
  }
  if (twin === undefined) return last.id;
  const message = `${LAST_LOOP} may mean ${last.id} or ${twin.id}, made at the same moment. Name the loop.`;
  throw new LoopError("invalid_id", message);
}

/** All loops with this text in id, title or description; what cannot be read comes with the first page. */
async function* pages(loops: LoopService, text = "") {
  for (let offset = 0, total = 1; offset < total; offset += PAGE) {
    const page = await loops.list({ ...(text === "" ? {} : { text }), offset, limit: PAGE });
    total = page.total;
    yield offset === 0 ? page : { ...page, damaged: [] };
  }
}
