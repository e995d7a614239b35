import { type AgentCheck, toLoopError, withoutUndefined } from "@ccw-loop/core";
import { FINDING_LOOKS, formatDuration, sanitizeLine, table } from "@ccw-loop/view";
import { settingsFor } from "../config/flags.ts";
import type { SettingFlags } from "../program/options.ts";
import type { Context } from "../runtime/context.ts";
import { listen } from "../runtime/interrupts.ts";
import type { Answer } from "../runtime/perform.ts";
import { type Trial, tryAgent } from "./agent-trial.ts";

type Known = Pick<AgentCheck, "ok" | "version" | "notes" | "login_tried"> & { problems: string[] };

const UNTRIED = "; its login was not tried";

/** Every agent that there is, and whether it can work here. */
export async function list(context: Context): Promise<Answer> {
  const { parts, root, paint } = context;
  const registry = await parts.agents();
  const all = registry?.choices ?? [];
  // One that takes an argument is none without it.
  const choices = all.filter(({ argument }) => argument === undefined);
  const others = all.flatMap(({ name, argument }) => (argument ? `${name}:${argument}` : []));
  const look = async (name: string): Promise<Known> => {
    try {
      const {
        problems,
        login_tried = true,
        ...check
      } = await (await parts.agent({ agent: name })).check(root);
      return {
        ...check,
        login_tried: check.ok && login_tried,
        problems: problems.map(({ message }) => message),
      };
    } catch (error) {
      return {
        ok: false,
        version: null,
        notes: [],
        login_tried: false,
        problems: [toLoopError(error).message],
      };
    }
  };
  // Column widths follow from the names, so that each row can be printed as soon as it is known.
  const rows = choices.map(({ name, describe }) => rowOf(name, describe));
  const print = (line: number) => {
    const text = table(["NAME", "AGENT", "HERE"], rows, { columns: undefined, paint })[line];
    if (!context.json) context.io.stdout.write(`${text}\n`);
  };
  print(0);
  const agents: (Known & { name: string; describe: string })[] = [];
  // One after the other: each is a program of its own that may take a whole core to start.
  for (const [at, { name, describe }] of choices.entries()) {
    const known = await look(name);
    agents.push({ name, describe, ...known });
    rows[at] = rowOf(name, describe, known);
    print(at + 1);
  }
  const lacking = agents.find(({ ok }) => !ok);
  const untried = agents.find(({ ok, login_tried }) => ok && !login_tried);
  const next = [
    `Others by name: ${["./module.js", ...others].join(", ")}, acp:"COMMAND"`,
    ...(lacking
      ? [`See all that ${lacking.name} lacks with: ccw-loop doctor --agent ${lacking.name}`]
      : []),
    ...(untried
      ? [`Try whether ${untried.name} is logged in with: ccw-loop agents test ${untried.name}`]
      : []),
  ];
  return { data: { agents }, text: ["", ...next.map(context.hint)].join("\n") };
}

function rowOf(name: string, describe: string, known?: Known) {
  const { ok = false, version, login_tried, problems = [] } = known ?? {};
  const works = `can work here${version ? ` (${version})` : ""}${login_tried ? "" : UNTRIED}`;
  return {
    tone: ok ? ("plain" as const) : ("quiet" as const),
    cells: [name, describe, ok ? works : (problems[0] ?? "")].map(sanitizeLine),
  };
}

/** Has an agent do what loops need of it; exit code 1 where it does not. */
export async function test(context: Context, name: string, flags: SettingFlags): Promise<Answer> {
  const { values } = await settingsFor(context, { ...flags, agent: name });
  const agent = await context.parts.agent({ agent: values.agent });
  const check = await agent.check(context.root);
  const [problem] = check.problems;
  if (!check.ok && problem) throw problem;
  using interrupts = listen(context.io, { ignore: "SIGPIPE" });
  const onTrial = (trial: Trial) => {
    if (!context.json) context.say(lineOf(trial, context));
  };
  const model = withoutUndefined({ model: values.model ?? undefined });
  const { signal } = interrupts;
  try {
    const onWarning = (message: string) => context.say(`ccw-loop: ${sanitizeLine(message)}`);
    const trials = await tryAgent(agent, { ...model, signal, onTrial, onWarning });
    const ok = trials.every(({ holds, needed }) => holds === true || !needed);
    const version = check.version === null ? "" : ` ${check.version}`;
    const text = `${agent.driver}${version} ${ok ? "can" : "cannot"} work in loops.`;
    const data = { ok, driver: agent.driver, version: check.version, trials };
    return { data, text, exit: ok ? 0 : 1 };
  } catch (error) {
    if (!signal.aborted) throw error;
    return { exit: interrupts.exit(1) };
  }
}

function lineOf({ what, holds, seen, needed, ms }: Trial, { paint }: Context): string {
  const { word, tone } = FINDING_LOOKS[holds === true ? "ok" : needed ? "problem" : "note"];
  const took = ms === 0 ? "" : ` (${formatDuration(ms)})`;
  return `${paint(tone, word.padEnd(7))}  ${what.padEnd(34)}  ${sanitizeLine(`${seen}${took}`)}`;
}
