import { AVA_VARIABLE } from "./ava-reporter.ts";
import { nodeReporterPath } from "./javascript.ts";
import { MOCHA_VARIABLE } from "./mocha-reporter.ts";
import { REPORTS_VARIABLE } from "./node-reporter.ts";

export const SCRIPT_REPORTS_VARIABLE = "CCW_LOOP_SCRIPT_REPORTS";

/**
 * Stands in NODE_OPTIONS: a process that is the program of a known runner gets the words that ask for its report, whose
 * file is begun at once, so that a run which ends without one is cut off. In other processes the runners that are only a
 * module are extended. What either starts itself is asked for nothing: a run that a test starts is none of the project's.
 */
export const preload = (variables: readonly string[]) => String.raw`"use strict";
const { realpathSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");

const folder = process.env.${SCRIPT_REPORTS_VARIABLE};
const fileOf = (ending) => join(folder, process.pid + ending);
const has = (...flags) => process.argv.some((word) => flags.some((flag) => word === flag || word.startsWith(flag + "=")));
const forget = (kept) => {
  for (const name of ${JSON.stringify(variables)}) if (name !== kept) delete process.env[name];
};
const begin = (file) => {
  writeFileSync(file, "", { flag: "wx" });
  return file;
};
const PROGRAMS = [
  {
    program: /[\\/]vitest[\\/]vitest\.mjs$/,
    isOther: () => has("list", "bench", "init", "--watch", "-w"),
    words: () => [...(has("--reporter") ? [] : ["--reporter=default"]), "--reporter=json", "--outputFile.json=" + begin(fileOf(".json"))],
  },
  {
    program: /[\\/]jest(-cli)?[\\/]bin[\\/]jest\.js$/,
    isOther: () => has("--json", "--outputFile", "--watch", "--listTests", "--showConfig", "--clearCache", "--init"),
    words: () => ["--json", "--outputFile=" + begin(fileOf(".json"))],
  },
  {
    program: /[\\/]mocha[\\/]bin[\\/]_?mocha(\.js)?$/,
    isOther: () => has("--reporter", "-R", "--watch", "-w", "--dry-run", "--list-files", "--list-reporters", "--list-interfaces"),
    words() {
      process.env.${MOCHA_VARIABLE} = begin(fileOf(".ndjson"));
      return ["--reporter=" + join(folder, "reporter.cjs")];
    },
  },
  {
    // It has been asked already.
    program: /[\\/]ava[\\/](entrypoints[\\/])?cli\.[cm]?js$/,
    isOther: () => true,
  },
  {
    program: /[\\/]tap[\\/]bin[\\/]run\.js$/,
    isOther: () => has("--output-file", "-o", "--dump-config", "--versions", "--parser-version"),
    words: () => ["--output-file=" + begin(fileOf(".tap"))],
  },
  {
    // Since 18; its plan is only in the file where another reporter prints.
    program: /[\\/]tap[\\/]dist[\\/]esm[\\/]run\.mjs$/,
    isOther: () => has("--output-file", "-o") || /^(list|report|build|plugin|config|dump-config|versions|help|init|repl)$/.test(process.argv[2]),
    words: () => [...(has("--reporter", "-R") ? [] : ["--reporter=terse"]), "--output-file=" + begin(fileOf(".tap"))],
  },
  {
    program: /[\\/]borp[\\/]borp\.js$/,
    isOther: () => has("--watch", "-w"),
    keeps: "${REPORTS_VARIABLE}",
    words: () => [...(has("--reporter", "-r") ? [] : ["--reporter=spec"]), "--reporter=" + ${JSON.stringify(nodeReporterPath())}],
  },
];

/** The program of this process; nothing in a worker, or where it is read from elsewhere. */
function main() {
  try {
    return process.argv[1] ? realpathSync(process.argv[1]) : "";
  } catch {
    return "";
  }
}

if (folder) {
  const real = main();
  const known = PROGRAMS.find(({ program }) => program.test(real));
  const isAsked = known && !known.isOther() && !has("--help", "-h", "--version", "-v", "-V");
  if (isAsked) {
    const at = process.argv.indexOf("--");
    process.argv.splice(at === -1 ? process.argv.length : at, 0, ...known.words());
  }
  if (known) {
    forget(known.keeps);
  } else if (process.execArgv.includes("--test")) {
    forget("${REPORTS_VARIABLE}");
  } else {
    const begins = () => {
      forget();
      return folder;
    };
    require("./tape.cjs").extendTape(begins);
    require("./uvu.cjs").extendUvu(begins);
  }
}
`;

/** Taken from whatever a known runner starts. */
export const NODE_VARIABLES = [SCRIPT_REPORTS_VARIABLE, AVA_VARIABLE, REPORTS_VARIABLE];
