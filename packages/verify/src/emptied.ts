import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import {
  type CheckOptions,
  type CheckResult,
  hasWord,
  isCode,
  objectionOf,
  typedCommand,
  type VerifyPlan,
} from "@ccw-loop/core";
import { type RunSettings, runPlanIn } from "@ccw-loop/test-runner";
import { overwrite } from "@ccw-loop/test-runner/clean-room";
import { filesUnder, textOf } from "@ccw-loop/test-runner/project-files";
import { beginCheck } from "./check-parts.ts";

/** More files would cost more runs than they tell: those that a command names come first. */
const FILES_EMPTIED = 8;
/** So many files are looked into, none larger than that, for the names of others. */
const LOOKED_INTO = 2000;
const TEXT_LIMIT = 256 * 1024;
/** Names of words in these say nothing about what is started. */
const PROSE = /\.(md|txt|rst|adoc|lock)$|(^|\/)(LICEN[CS]E|package-lock\.json)/i;

/** A program that ends its process at once with a failure, in languages that are run without a build. */
const FAILING: readonly [RegExp, string][] = [
  [/\.[cm]?[jt]sx?$/, 'throw new Error("ccw-loop");\n'],
  [/\.py$/, "raise SystemExit(97)\n"],
  [/\.php$/, "<?php exit(97);\n"],
  [/\.(pl|pm|t)$/, "exit 97;\n"],
  [/\.(rb|sh|bash|zsh|ksh)$/, "exit 97\n"],
];

/**
 * Whether a changed source is what decides, for commands whose reports place no test in a file. What is tested fails
 * when it is emptied; a script that does the testing then passes. It decided if the command fails with its text of the
 * start, and is run at all: a linter passes an empty file too, and never runs it. Null where no command is of this kind.
 */
export async function emptiedRun(
  plan: VerifyPlan,
  options: CheckOptions,
  settings: RunSettings,
): Promise<CheckResult | null> {
  const parts = plan.parts.filter((part) => options.unplaced.includes(typedCommand(part)));
  if (parts.length === 0) return null;
  const ended = beginCheck("emptied");
  const { cwd: startFolder } = await options.room("start");
  const commands = parts.map(({ command }) => command);
  const files = await startedFrom(commands, startFolder, options.sources);
  if (files.length === 0) {
    return ended("not_run", "Nothing that starts the tests names a changed source.");
  }
  /** Which of the commands exit with 0, with this text in the file; null for none. */
  const passing = async (file: string, text: string | null): Promise<Set<string>> => {
    const room = await options.room("present");
    if (text === null) await rm(join(room.cwd, file), { force: true });
    else await overwrite(join(room.cwd, file), text);
    const run = await runPlanIn(room, { ...plan, parts }, options, settings);
    return new Set(
      run.commands.filter(({ exit_code }) => exit_code === 0).map(({ command }) => command),
    );
  };
  const judges: string[] = [];
  for (const file of files) {
    const emptied = await passing(file, "");
    if (emptied.size === 0) continue;
    const before = await passing(file, textOf(join(startFolder, file)));
    const turned = [...emptied].filter((command) => !before.has(command));
    if (turned.length === 0) continue;
    const failing = FAILING.find(([ending]) => ending.test(file))?.[1];
    const failed = failing === undefined ? new Set<string>() : await passing(file, failing);
    if (turned.some((command) => !failed.has(command))) judges.push(file);
  }
  if (judges.length === 0) {
    return ended(
      "held",
      `None of ${files.length} changed sources makes failing tests pass when it is emptied.`,
      files.length,
    );
  }
  const message = `The tests pass with an empty ${judges.join(", ")}, and fail with what it was at the start: it may be what decides.`;
  const objection = { ...objectionOf("emptied", [], message), path: judges[0] ?? "" };
  return ended("failed", message, files.length, [objection]);
}

/**
 * Those of the changed sources that a command names, then those that files without code name (a Makefile, a
 * package.json), then those that a program names which is itself so named.
 */
async function startedFrom(
  commands: readonly string[],
  folder: string,
  sources: readonly string[],
): Promise<string[]> {
  const texts = new Map<string, string>();
  for await (const path of filesUnder(folder)) {
    if (texts.size >= LOOKED_INTO) break;
    const text = textOf(join(folder, path), TEXT_LIMIT);
    if (text !== null) texts.set(path, text);
  }
  const all = [...texts];
  const starters = all.filter(([path]) => !isCode(path) && !PROSE.test(path));
  const near = [commands, starters.map(([, text]) => text)];
  const programs = all.filter(
    ([path]) => isCode(path) && near.flat().some((text) => names(text, path)),
  );
  const found = [...near, programs.map(([, text]) => text)].flatMap((level) =>
    sources.filter((source) => level.some((text) => names(text, source))),
  );
  return [...new Set(found)].slice(0, FILES_EMPTIED);
}

/** By its name with its ending, or without it as a word. */
function names(text: string, path: string): boolean {
  const base = basename(path);
  const [stem = base] = base.split(".");
  return text.includes(base) || hasWord(text, stem);
}
