import { dirname, join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { LoopError, withoutUndefined } from "@ccw-loop/core";
import { openTui, requireTerminal } from "@ccw-loop/tui";
import { newLoopFields, settingsFor } from "../config/flags.ts";
import { readObject, userFile } from "../config/settings.ts";
import { placeOfLoops } from "../extensions/store-choice.ts";
import { type Context, requireModules } from "../runtime/context.ts";
import { exitCodeFor, listen } from "../runtime/interrupts.ts";
import { markDriving } from "../runtime/operator-origin.ts";
import type { Answer } from "../runtime/perform.ts";
import { findAgent } from "./agent-findings.ts";
import { runChecks } from "./doctor.ts";

export interface TuiFlags {
  agent?: string;
  plain?: true;
  theme?: "dark" | "light";
}

/**
 * Each picture leaves garbage that is old by the time it is no longer needed. V8 would let twice as much of it pile up as is
 * in use before it collects it; measured by `npm run bench:tui` (ADR 22).
 */
const GARBAGE_LIMIT = "--heap-growing-percent=50";

/**
 * The terminal interface until a person leaves it. A loop that is started in it is driven here, unless the loops are
 * elsewhere; a signal leaves it running for the next supervisor.
 */
export async function tui(context: Context, flags: TuiFlags): Promise<Answer> {
  const { io, root, cwd, remote, parts } = context;
  if (context.json) {
    throw new LoopError("invalid_input", "tui has no JSON document; ccw-loop list --json has one.");
  }
  const path = join(dirname(userFile(io.env)), "tui.json");
  const config = { path, value: await readObject(path) };
  const plain = flags.plain === true;
  requireTerminal(io, { plain, term: io.env.TERM });
  setFlagsFromString(GARBAGE_LIMIT);
  const { values } = await settingsFor(context, flags);
  const agents = (await parts.agents())?.choices;
  await requireModules(context);
  const service = await parts.loops();
  if (remote === null) await (await parts.processes()).sweep();
  using interrupts = listen(io, { ignore: "SIGPIPE" });
  using _mark = remote === null ? markDriving(root) : undefined;
  const sayBelow = context.say;
  const exitedCleanly = await openTui({
    service,
    place: {
      name: remote?.url ?? (await placeOfLoops(await parts.storeChoice(), root)),
      drives: remote === null,
      asTyped: context.hint,
      defaults: newLoopFields(values, {}),
      ...(agents ? { agents } : {}),
    },
    stdin: io.stdin,
    stdout: io.stdout,
    stderr: io.stderr,
    env: io.env,
    cwd,
    config,
    plain,
    theme: flags.theme,
    color: context.color,
    examine: async () =>
      (await runChecks(context, withoutUndefined({ agent: flags.agent }))).findings,
    findAgent: remote === null && flags.agent === undefined ? () => findAgent(context) : undefined,
    signal: interrupts.signal,
    again: interrupts.second,
    onOpen: (tell) => {
      // A line on stderr would land in the middle of a frame.
      context.say = tell;
    },
  }).finally(() => {
    context.say = sayBelow;
  });
  if (exitedCleanly) return { exit: interrupts.exit(0) };
  return { exit: interrupts.exit(exitCodeFor("SIGINT")), exitNow: true };
}
