import { homedir } from "node:os";
import { resolve } from "node:path";
import { isPlain, shellWord } from "@ccw-loop/core";
import { plainCommand } from "@ccw-loop/processes/agent-policy";
import { at, listAt, textAt } from "../json.ts";

/** What frames and questions say of a tool call; what nobody said is not there. */
export interface ToolFacts {
  kind?: string;
  title?: string;
  /** In its input; of an editor it is no command of a shell. */
  command?: string;
  /** Where it is to run, absolute. */
  folder?: string;
  /** Absolute. */
  paths?: readonly string[];
  hasDiff?: boolean;
}

/** What one frame says of a tool call. */
export function factsIn(frame: unknown, cwd: string): ToolFacts {
  const input = at(frame, "rawInput");
  const diffs = listAt(frame, "content").filter((one) => textAt(one, "type") === "diff");
  const told = [...diffs, ...listAt(frame, "locations")].map((one) => textAt(one, "path") ?? "");
  const paths = [...told, ...valuesIn(input, PATH)].filter((path) => path !== "");
  const folder = valuesIn(input, FOLDER)[0] ?? folderIn(frame);
  return said({
    kind: textAt(frame, "kind"),
    title: textAt(frame, "title"),
    command: commandIn(input) || undefined,
    folder: folder && absolute(cwd, folder),
    paths: paths.length === 0 ? undefined : [...new Set(paths.map((path) => absolute(cwd, path)))],
    hasDiff: diffs.length > 0 || undefined,
  });
}

/** What is known by two frames of one call; paths add up. */
export function withMore(known: ToolFacts, more: ToolFacts): ToolFacts {
  const paths = new Set([...(known.paths ?? []), ...(more.paths ?? [])]);
  return { ...known, ...more, ...(paths.size === 0 ? {} : { paths: [...paths] }) };
}

/** Names of fields that hold a folder to work in, or a path: agents and their tools have many spellings. */
const FOLDER = /^(?:cwd|work_?dir(?:ectory)?|working_?dir(?:ectory)?|directory|dir_?path)$/i;
const PATH = /(?:path|file|file_?name|destination|target)s?$/i;

/** The texts of all fields with such a name, however deep. */
function valuesIn(input: unknown, name: RegExp): string[] {
  if (Array.isArray(input)) return input.flatMap((one) => valuesIn(one, name));
  if (!isPlain(input)) return [];
  return Object.entries(input).flatMap(([key, value]) => {
    const isNamed = name.test(key);
    if (isNamed && typeof value === "string") return [value];
    const texts = isNamed && Array.isArray(value) ? value : [];
    return [...texts.filter((one) => typeof one === "string"), ...valuesIn(value, name)];
  });
}

function absolute(cwd: string, path: string): string {
  return resolve(cwd, path.replace(/^~(?=\/|$)/, homedir()));
}

/** Where a command is to run, as the text of a question says it. */
function folderIn(frame: unknown): string | undefined {
  const texts = listAt(frame, "content").map((one) => textAt(one, "content", "text") ?? "");
  return /^\[current working directory (.+)\]/.exec(texts.join("\n"))?.[1];
}

/** The command in the input of a tool: a script, or its words. */
function commandIn(input: unknown): string {
  const command = at(input, "command") ?? at(input, "cmd");
  if (typeof command === "string") return plainCommand(command);
  if (!Array.isArray(command)) return "";
  return plainCommand(command.map((word) => shellWord(String(word))).join(" "));
}

function said(facts: { [K in keyof ToolFacts]: ToolFacts[K] | undefined }): ToolFacts {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}
