import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  type CheckOptions,
  type CheckResult,
  isLoopError,
  objectionOf,
  type PlanPart,
  typedCommand,
  type VerifyPlan,
} from "@ccw-loop/core";
import { type RunSettings, runPlanIn } from "@ccw-loop/test-runner";
import { overwrite } from "@ccw-loop/test-runner/clean-room";
import { hookOf, runnerOf, scriptCalledBy, splitChain } from "@ccw-loop/test-runner/commands";
import { textOf } from "@ccw-loop/test-runner/project-files";
import { beginCheck } from "./check-parts.ts";
import { codeOf } from "./falsify/code.ts";
import { pythonMover } from "./falsify/python.ts";

/** More changed sources would cost more than they tell. */
const FILES = 40;
/** Each of these gets a run of its own. */
const SUSPICIOUS = 8;
/** Scripts that only call each other. */
const DEPTH = 4;
/** More output than this is not looked at. */
const READ_AT_MOST = 8 * 1024 * 1024;

/** A function that nobody calls, and that uses a name which nobody declares, in languages that are checked without a build. */
const FALSE_CODE: readonly {
  handles: RegExp;
  text: (name: string) => string;
  at: (text: string) => number;
}[] = [
  {
    handles: /(?<!\.d)\.[cm]?[jt]sx?$/,
    text: (name) => `\nfunction ${name}() {\n  return ${name}_;\n}\n`,
    at: (text) => text.length,
  },
  {
    handles: /\.pyi?$/,
    text: (name) => `def ${name}() -> int:\n    return ${name}_\n\n\n`,
    // Nothing is checked behind what ends the program, where many a program ends.
    at: (text) => {
      const found = codeOf(text, pythonMover.quoted).bare.search(/^(?:def|class|async|@)/m);
      return found === -1 ? text.length : found;
    },
  },
];

/** A command beside the tests, and a changed source that it does not name. */
interface Pair {
  command: PlanPart;
  file: string;
}

interface About {
  options: CheckOptions;
  settings: RunSettings;
  /** A room, for what its scripts say. */
  cwd: string;
}

/**
 * Whether commands beside the tests (a type checker, a linter) look at the changed sources. Each gets an undeclared name, by
 * which such a command has to be red; one that says that name at the start and passes now no longer looks at that file. Null
 * where there is no such command, or it says nothing of names.
 */
export async function overlookedRun(
  plan: VerifyPlan,
  { options, settings, cwd }: About,
): Promise<CheckResult | null> {
  const files = options.sources.filter((file) => falseCodeFor(file) !== undefined).slice(0, FILES);
  const commands = files.length === 0 ? [] : commandsBeside(plan, options, cwd);
  if (commands.length === 0) return null;
  const ended = beginCheck("canary");
  const names = new Map(files.map((file) => [file, `k${randomBytes(6).toString("hex")}`]));

  /** Which of the pairs are not noticed where these files have such a name in them. */
  const unnoticed = async (
    which: "start" | "present",
    pairs: readonly Pair[],
    { passing = false, within = files } = {},
  ): Promise<Pair[]> => {
    const room = await options.room(which);
    for (const file of within) await addFalseCode(join(room.cwd, file), names.get(file) ?? "");
    const found: Pair[] = [];
    for (const [command, own] of Map.groupBy(pairs, (pair) => pair.command)) {
      let said = "";
      const onOutput = (text: string) => {
        if (said.length < READ_AT_MOST) said += text;
      };
      const run = await runPlanIn(
        room,
        { ...plan, parts: [command] },
        { ...options, onOutput },
        settings,
      ).catch((error: unknown) => {
        // A script may name what an earlier command of it makes.
        if (isLoopError(error, "verify_unavailable")) return null;
        throw error;
      });
      if (passing && run?.passed !== true) continue;
      found.push(...own.filter(({ file }) => !said.includes(names.get(file) as string)));
    }
    return found;
  };

  const all = commands.flatMap((command) => files.map((file) => ({ command, file })));
  const left = await unnoticed("present", all);
  const atStart = left.length === 0 ? left : await unnoticed("start", left);
  const suspicious = left.filter((pair) => !atStart.includes(pair)).slice(0, SUSPICIOUS);
  const overlooked: Pair[] = [];
  // Alone: a command may stop at the first file of which it has something to say.
  for (const pair of suspicious)
    overlooked.push(
      ...(await unnoticed("present", [pair], { passing: true, within: [pair.file] })),
    );
  const noticed = all.length - left.length;
  if (overlooked.length > 0) {
    const objections = overlooked.map(({ command, file }) => {
      const message = `"${typedCommand(command)}" does not look at ${file}: it passes with an undeclared name in it, which it found there at the start.`;
      return { ...objectionOf("canary", [], message), path: file };
    });
    const reason = `${overlooked.length} changed sources are not looked at by a command that looked at them at the start.`;
    return ended("failed", reason, all.length, objections);
  }
  if (noticed === 0) return null;
  const reason = `An undeclared name had to be found ${noticed} times by commands beside the tests, and was.`;
  return ended("held", reason, noticed);
}

const falseCodeFor = (file: string) => FALSE_CODE.find(({ handles }) => handles.test(file));

/** A file that is not there yet has nothing else in it. */
async function addFalseCode(path: string, name: string): Promise<void> {
  const code = falseCodeFor(path);
  if (code === undefined) return;
  const text = textOf(path) ?? "";
  const at = code.at(text);
  const before = text.slice(0, at);
  const between = before === "" || before.endsWith("\n") ? "" : "\n";
  await mkdir(dirname(path), { recursive: true });
  await overwrite(path, `${before}${between}${code.text(name)}${text.slice(at)}`);
}

/** Commands that are no tests: those that report none, and those of a script that stand beside its runner. */
function commandsBeside({ parts }: VerifyPlan, options: CheckOptions, cwd: string): PlanPart[] {
  const found = parts.flatMap((part) => {
    const all = commandsOf(part.command, join(cwd, part.folder ?? ""));
    const own = all.filter((command) => runnerOf(command) === "script");
    const isTests = !options.unplaced.includes(typedCommand(part));
    // Where no runner is known, the last of several is what tests.
    const beside = isTests && own.length === all.length ? own.slice(0, -1) : own;
    return beside.map((command): PlanPart => ({ ...part, command, report: "exit-code" }));
  });
  return [...new Map(found.map((part) => [typedCommand(part), part])).values()];
}

/** What a command comes to: the commands of the script that it calls, and of the hooks around that. */
function commandsOf(command: string, cwd: string, depth = 0): string[] {
  const script = depth < DEPTH ? scriptCalledBy(cwd, command) : undefined;
  if (script === undefined) return [command];
  const hooks = [hookOf("pre", cwd, command), hookOf("post", cwd, command)];
  const [before, after] = hooks.map((hook) => (hook ? commandsOf(hook, cwd, depth + 1) : []));
  const own = splitChain(script).filter(({ folder }) => folder === undefined);
  const within = own.flatMap((one) => commandsOf(one.command, cwd, depth + 1));
  return [...(before ?? []), ...within, ...(after ?? [])];
}
