import { readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { readPlain } from "@ccw-loop/processes/plain-file";
import type { FormatName } from "../reports/formats.ts";
import { AVA_REPORTER } from "./ava-reporter.ts";
import { nodeReporterUrl } from "./javascript.ts";
import { MOCHA_REPORTER } from "./mocha-reporter.ts";
import { NODE_LINES } from "./node-lines.ts";
import { PERL_FILES, PERL_PRELOAD, PERL_VARIABLE } from "./perl-preload.ts";
import { NODE_VARIABLES, preload } from "./preload.ts";
import { PYTHON_FILES, PYTHON_VARIABLES } from "./pytest-plugin.ts";
import { filesEnding } from "./report-files.ts";
import { RUBY_FILES, RUBY_PRELOAD, RUBY_VARIABLE } from "./ruby-preload.ts";
import type { Runner } from "./runner.ts";
import { TAPE_REPORTER } from "./tape-reporter.ts";
import { UVU_REPORTER } from "./uvu-reporter.ts";

const DEEPEST = 3;

/** Whether a package of the project names a reporter to Node itself, which takes no others then. */
function namesReporter(folder: string, depth = 0): boolean {
  const text = readPlain(join(folder, "package.json"), { followLinks: true })?.toString("utf8");
  if (text?.includes("--test-reporter")) return true;
  if (depth === DEEPEST) return false;
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^(\.|node_modules$)/.test(entry.name))
    .some(({ name }) => namesReporter(join(folder, name), depth + 1));
}

const VARIABLES = [...NODE_VARIABLES, ...PYTHON_VARIABLES, RUBY_VARIABLE, PERL_VARIABLE];

/** By the ending of its name: what each of the runners in a script writes. */
function formatOf(file: string): FormatName {
  if (file.endsWith(".ndjson")) return "event-lines";
  return file.endsWith(".tap") ? "tap" : "jest-json";
}

/** A runner, or a script with any number of them somewhere in it, that is asked by its environment and must answer. */
export const BY_ENVIRONMENT: Runner = {
  format: formatOf,
  files: () => ({
    "preload.cjs": preload(VARIABLES),
    "ava.cjs": AVA_REPORTER,
    "node-lines.cjs": NODE_LINES,
    "reporter.cjs": MOCHA_REPORTER,
    "tape.cjs": TAPE_REPORTER,
    "uvu.cjs": UVU_REPORTER,
    ...PYTHON_FILES,
    ...RUBY_FILES,
    ...PERL_FILES,
  }),
  prepare: ({ command, cwd, reports, env }) => ({
    command,
    env: {
      NODE_OPTIONS: [
        env.NODE_OPTIONS ?? "",
        ...["ava.cjs", "preload.cjs"].map(
          (name) => `--require=${JSON.stringify(`${reports}/${name}`)}`,
        ),
        ...(namesReporter(cwd)
          ? []
          : [
              "--test-reporter=spec --test-reporter-destination=stdout",
              `--test-reporter=${nodeReporterUrl()} --test-reporter-destination=stderr`,
            ]),
      ]
        .join(" ")
        .trim(),
      PYTHONPATH: [reports, env.PYTHONPATH].filter(Boolean).join(delimiter),
      RUBYLIB: [reports, env.RUBYLIB].filter(Boolean).join(delimiter),
      RUBYOPT: `${env.RUBYOPT ?? ""} -r${RUBY_PRELOAD}`.trim(),
      PERL5LIB: [reports, env.PERL5LIB].filter(Boolean).join(delimiter),
      PERL5OPT: `${env.PERL5OPT ?? ""} -M${PERL_PRELOAD}`.trim(),
      ...Object.fromEntries(VARIABLES.map((name) => [name, reports])),
    },
  }),
  reports: filesEnding("json", ".tap"),
};

/**
 * A script that starts runners somewhere in it: between other commands, by other scripts, in several folders. Where none
 * of those that can be asked is there, the exit code and what was printed decide.
 */
export const SCRIPT: Runner = { ...BY_ENVIRONMENT, isOptional: true };
