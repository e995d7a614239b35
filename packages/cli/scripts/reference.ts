/**
 * The reference, made from the program itself: `node packages/cli/scripts/reference.ts` prints it, `--write` writes
 * docs/reference/*.md and packages/cli/man/ccw-loop.1. A test fails when they drift.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { ERROR_CODES, type ErrorCode } from "@ccw-loop/core";
import { SettingValues } from "@ccw-loop/view";
import type { Command } from "commander";
import { settingsSchema } from "../src/commands/init.ts";
import { SETTING_KEYS, UNSET } from "../src/config/settings.ts";
import { examplesOf } from "../src/program/examples.ts";
import { createProgram } from "../src/program/program.ts";
import { nameOf } from "../src/runtime/perform.ts";

const EXIT_CODES: readonly (readonly [number, string])[] = [
  [0, "Completed and proven; of other commands: done."],
  [1, "Failed; of verify: the receipt does not stand."],
  [2, "Wrong usage; of verify: it cannot be told here."],
  [3, "A limit was reached."],
  [4, "A person is needed."],
  [5, "The agent or the environment does not work."],
  [6, "Conflict: somebody else changed or drives it."],
  [7, "Not found."],
  [75, "The agent's usage limit is waited for."],
  [130, "Interrupted; 143 and 129 for SIGTERM and SIGHUP."],
];

const MEANINGS: Readonly<Record<ErrorCode, string>> = {
  invalid_input: "What was asked for does not make sense; the message names the field.",
  invalid_id: "That is no id of a loop, or it may mean several.",
  loop_not_found: "There is no such loop here.",
  task_not_found: "The loop has no such task.",
  issue_not_found: "`.workflow/issues` has no such issue.",
  loop_exists: "A loop of this id is there already.",
  invalid_transition: "The loop's status does not allow it, or it was asked from inside of a loop.",
  revision_conflict: "Somebody else changed the loop first. Read it again and decide again.",
  loop_busy: "Somebody else drives the loop.",
  workspace_busy: "Another loop works on the same files.",
  op_reused: "The same request id asked for something else before.",
  bash_not_allowed: "Tasks that are commands are not taken over HTTP unless the server allows it.",
  command_declined:
    "The command of a task reaches out of the project, and its agent has no sandbox.",
  fenced: "The lease of whoever wrote is somebody else's by now.",
  workspace_changed: "Files changed that the loop did not change.",
  store_corrupt: "The loop's files are damaged; `ccw-loop recover` shows what can be saved.",
  store_unavailable: "The database or the folder of loops does not answer.",
  workspace_unavailable: "The files of the project cannot be read or written.",
  system_unavailable: "The system refused something: a disk is full, too many files are open.",
  repository_unavailable: "The repository of the loop does not answer.",
  repository_refused: "The repository of the loop refused what was pushed.",
  unsafe_path: "A file or folder is open to other users, or a link stands in its place.",
  verify_unavailable: "The tests cannot be run.",
  agent_unavailable: "The agent is not installed or cannot be started.",
  agent_unauthorized: "The agent is not logged in.",
  agent_misconfigured: "The agent's own configuration is wrong.",
  agent_failed: "A turn of the agent failed.",
  agent_bad_result: "The agent's answer cannot be read.",
  agent_timeout: "A turn of the agent took too long.",
  agent_died: "The agent ended in the middle of a turn.",
  context_overflow: "The conversation is longer than the agent's model can read.",
  rate_limited: "The agent's provider asks to come more slowly.",
  usage_limit: "The agent's usage limit is reached.",
  sandbox_unavailable: "The agent cannot be contained here as it was asked.",
  internal: "A defect of this program.",
};

const program = createProgram(
  {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: {},
    cwd: ".",
  },
  () => undefined,
);

/** Every command that can be called, in the order of the help. */
function leaves(parent: Command = program): Command[] {
  return parent.commands
    .filter((one) => !one.name().startsWith("__") && one.name() !== "help")
    .flatMap((one) => (one.commands.length > 0 ? leaves(one) : [one]));
}

/** Option or argument, with what it means. */
function entries(command: Command): [string, string][] {
  const choices = (of: { argChoices?: readonly string[] | undefined }) =>
    of.argChoices ? ` (${of.argChoices.join(", ")})` : "";
  return [
    ...command.registeredArguments.map((one): [string, string] => [
      one.required ? `<${one.name()}>` : `[${one.name()}]`,
      `${one.description}${choices(one)}`,
    ]),
    ...command.options.map((one): [string, string] => [
      one.flags,
      `${one.description}${choices(one)}`,
    ]),
  ];
}

const NOTE = "Made by `node packages/cli/scripts/reference.ts --write`.";
const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll(/<(?=\w)/g, "&lt;");
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");

function commandsPage(): string {
  const sections = leaves().map((command) => {
    const name = nameOf(command);
    const rows = entries(command).map(([flags, what]) => [
      `\`${flags.replaceAll("|", "\\|")}\``,
      cell(what),
    ]);
    return [
      `## ${name}`,
      "",
      `${sentence(command.description())}`,
      "",
      "```text",
      `ccw-loop ${name} ${command.usage()}`,
      ...examplesOf(name),
      "```",
      ...(rows.length > 0 ? ["", table(["", ""], rows)] : []),
      "",
    ].join("\n");
  });
  const global = program.options.map((one) => [`\`${one.flags}\``, cell(one.description)]);
  return [
    "# Commands",
    "",
    `${NOTE} Each command has these options as well:`,
    "",
    table(["", ""], global),
    "",
    table(
      ["exit code", "means"],
      EXIT_CODES.map(([code, what]) => [String(code), what]),
    ),
    "",
    ...sections,
  ].join("\n");
}

function settingsPage(): string {
  const properties = settingsSchema().properties as Record<string, { description?: string }>;
  const values = SettingValues.parse({});
  const rows = SETTING_KEYS.map((key) => [
    `\`${key}\``,
    key === "mode" ? "`--auto`, `--interactive`" : `\`--${key.replaceAll("_", "-")}\``,
    `\`CCW_LOOP_${key.toUpperCase()}\``,
    cell(String(values[key] ?? UNSET[key])),
    cell(properties[key]?.description ?? ""),
  ]);
  return [
    "# Settings",
    "",
    `${NOTE} The first that says something holds: the flag, the variable of the environment, \`.workflow/ccw-loop.json\` of the project,`,
    "`~/.config/ccw-loop/config.json` of the user, the default. `ccw-loop config show` tells which one that is; `ccw-loop init` makes the project's",
    "file with a schema for editors. A loop keeps what it began with; later only flags of `run` and `resume` change it.",
    "",
    table(["setting", "flag", "variable", "default", "means"], rows),
    "",
  ].join("\n");
}

function errorsPage(): string {
  const rows = Object.entries(ERROR_CODES).map(([code, { http, exit }]) => [
    `\`${code}\``,
    String(exit),
    String(http),
    MEANINGS[code as ErrorCode],
  ]);
  return [
    "# Errors",
    "",
    `${NOTE} With \`--json\` an error is a document with \`error.code\`; over HTTP it is \`code\` in the body. Programs go by it, people by the`,
    "message, which names the thing and the next step.",
    "",
    table(["code", "exit code", "HTTP", "means"], rows),
    "",
  ].join("\n");
}

const roff = (text: string) =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll(/^([.'])/gm, "\\&$1");

function manPage(): string {
  const listed = (rows: readonly (readonly [string, string])[]) =>
    rows.flatMap(([name, what]) => [".TP", `.B ${roff(name)}`, roff(sentence(what))]);
  const commands = leaves().flatMap((command) => {
    const name = nameOf(command);
    return [
      `.SS "ccw-loop ${roff(`${name} ${command.usage()}`)}"`,
      roff(sentence(command.description())),
      ...listed(entries(command)),
      ".PP",
      ".nf",
      ...examplesOf(name).map(roff),
      ".fi",
    ];
  });
  return [
    '.TH CCW-LOOP 1 "" "" "CCW Loop"',
    ".SH NAME",
    "ccw\\-loop \\- drives a coding agent until the work is proven done",
    ".SH SYNOPSIS",
    ".B ccw\\-loop",
    ".I command",
    "[options] [arguments]",
    ".SH OPTIONS",
    ...listed(program.options.map((one) => [one.flags, one.description] as const)),
    ".SH COMMANDS",
    ...commands,
    ".SH EXIT STATUS",
    ...listed(EXIT_CODES.map(([code, what]) => [String(code), what] as const)),
    ".SH FILES",
    ...listed([
      [".workflow/ccw-loop.json", "Settings of a project."],
      [".workflow/.loop", "Its loops."],
      ["~/.config/ccw-loop/config.json", "The user's own settings."],
    ]),
    "",
  ].join("\n");
}

const sentence = (text: string) =>
  `${text.replace(/^./, (first) => first.toUpperCase())}${/[.!?]$/.test(text) ? "" : "."}`;

const root = new URL("../../../", import.meta.url);
/** The pages by their path in the repository. */
export const REFERENCE: Readonly<Record<string, () => string>> = {
  "docs/reference/commands.md": commandsPage,
  "docs/reference/settings.md": settingsPage,
  "docs/reference/errors.md": errorsPage,
  "packages/cli/man/ccw-loop.1": manPage,
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, page] of Object.entries(REFERENCE)) {
    const file = new URL(path, root);
    if (!process.argv.includes("--write")) process.stdout.write(page());
    else {
      mkdirSync(dirname(fileURLToPath(file)), { recursive: true });
      writeFileSync(file, page());
    }
  }
}
