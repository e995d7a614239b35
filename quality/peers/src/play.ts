import { delimiter, dirname, join } from "node:path";
import { cart, PARTS, project } from "../../bench/cli/support/cart-project.ts";
import { writeFiles } from "../../support/folders.ts";
import { type Measured, measured } from "../../support/measured.ts";
import { writeAgent, writeEdits } from "./agent.ts";
import { begun, type Lie } from "./lies.ts";
import type { Places, Tool } from "./tool.ts";

const LONGEST_MS = 240_000;

/** How one project ended with one tool. */
export interface Played extends Measured {
  isDone: boolean;
}

/** Where the tools are, and a folder for projects. */
export interface Surroundings {
  base: string;
  installedAt: (tool: Tool) => string;
  launcher: string;
}

/** Six edits of the cart, one in each turn; the tests are green after the last. */
export function playJob(tool: Tool, at: Surroundings, round: number): Promise<Played> {
  const edits = PARTS.map(
    (parts) => `cat >src/cart.js <<'END_OF_FILE'\n${cart(parts)}END_OF_FILE\n`,
  );
  return play(tool, at, `job-${round}`, edits);
}

/** One edit, of an agent that says that the tests pass. */
export function playLie(tool: Tool, at: Surroundings, { name, edit }: Lie): Promise<Played> {
  return play(tool, at, name.replaceAll(/\W+/g, "-"), [edit], begun);
}

async function play(
  tool: Tool,
  { base, installedAt, launcher }: Surroundings,
  name: string,
  edits: readonly string[],
  sources?: string,
): Promise<Played> {
  const { dir, env } = project(base, `${tool.name.replaceAll(/\W+/g, "-")}-${name}`, {
    ...tool.files,
    ...(sources && { "src/cart.js": sources }),
  });
  const beside = dirname(dir);
  const agent = writeAgent(join(beside, "bin"));
  const places: Places = { installed: installedAt(tool), launcher, agent, beside };
  writeFiles(env.HOME ?? beside, tool.homeFiles?.(places) ?? {});
  writeEdits(beside, edits, tool.says, tool.callsPerEdit);
  const PATH = [join(beside, "bin"), dirname(process.execPath), env.PATH].join(delimiter);
  const ended = await measured(tool.command(places), {
    ...{ cwd: dir, env: { ...env, PATH, CCW_LOOP_NO_TUI: "1" }, timeout: LONGEST_MS },
  });
  return { ...ended, isDone: tool.isDone({ exit: ended.exit, project: dir }) };
}
