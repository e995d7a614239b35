import { at, listAt, textAt } from "../../../packages/agent-acp/src/json.ts";

/** What a model does next. */
export type Move =
  | { say: string }
  /** Writes a whole file; the path is absolute. */
  | { write: { path: string; content: string } }
  /** Reads a whole file; the path is absolute. */
  | { read: { path: string } }
  /** Runs a shell command and waits for it. */
  | { run: string }
  /** Sends these words, and then nothing more for ever. */
  | { hang: string }
  | { fail: { status: number; error: Record<string, unknown> } };

/** A tool that a request offers, whatever the dialect calls its parts. */
export interface Tool {
  name: string;
  /** JSON schema of its arguments; none where it takes a text. */
  schema: unknown;
}

/** A call of a tool: with arguments, or with a text where the tool takes one. */
export type Call = { name: string; args: Record<string, unknown> } | { name: string; text: string };

const RUNS = [
  ...["run_shell_command", "Bash", "bash", "exec_command", "shell_command", "shell"],
  ...["local_shell", "execute_command"],
];
const WRITES = ["write_file", "Write", "write", "create", "create_file", "apply_patch"];

const READS = ["read_file", "Read", "read", "view"];

/** Only a request with a shell among its tools goes on with a turn. */
export function hasShell(tools: readonly Tool[]): boolean {
  return tools.some(({ name }) => RUNS.includes(name));
}

/** A move as a call of one of the tools; null for one that only says something. Throws where there is no such tool. */
export function callFor(move: Move, tools: readonly Tool[]): Call | null {
  if ("run" in move) return callOf(firstOf(RUNS, tools), { command: move.run });
  if ("read" in move) {
    const tool = firstOf(READS, tools);
    return tool ? callOf(tool, move.read) : callFor({ run: `cat '${move.read.path}'` }, tools);
  }
  if (!("write" in move)) return null;
  const { path, content } = move.write;
  const tool = firstOf(WRITES, tools);
  if (tool?.name === "apply_patch") return { name: tool.name, text: addingPatch(path, content) };
  if (tool) return callOf(tool, { path, content });
  // An agent without an editor writes by its shell.
  return callFor({ run: `cat > '${path}' <<'END_OF_FILE'\n${content}END_OF_FILE` }, tools);
}

function firstOf(names: readonly string[], tools: readonly Tool[]): Tool | undefined {
  return names.flatMap((name) => tools.find((tool) => tool.name === name) ?? [])[0];
}

interface Wanted {
  command?: string;
  path?: string;
  content?: string;
}

/** As long as a command may run: the suite's longest tests wait for less. */
const LONG_MS = 600_000;

/** Arguments are found by their names; of the others those that the tool insists on get a value of their type. */
function callOf(tool: Tool | undefined, { command, path, content }: Wanted): Call {
  if (!tool) throw new Error("The agent offers no tool for this move.");
  const required = listAt(tool.schema, "required");
  const properties = Object.entries(at(tool.schema, "properties") ?? {});
  const args = properties.flatMap(([name, schema]): [string, unknown][] => {
    const words = at(schema, "type") === "array" ? ["bash", "-lc", command] : command;
    if (/^(?:command|cmd)$/.test(name) && command !== undefined) return [[name, words]];
    if (/^(?:file_?path|path|absolute_path)$/i.test(name) && path) return [[name, path]];
    if (/^(?:content|file_text)$/.test(name) && content !== undefined) return [[name, content]];
    if (name === "yield_time_ms") return [[name, LONG_MS]];
    return required.includes(name) ? [[name, anyOf(schema)]] : [];
  });
  return { name: tool.name, args: Object.fromEntries(args) };
}

function anyOf(schema: unknown): unknown {
  const [first] = listAt(schema, "enum");
  if (first !== undefined) return first;
  const type = textAt(schema, "type");
  if (type === "boolean") return false;
  return type === "number" || type === "integer" ? LONG_MS : "scripted";
}

function addingPatch(path: string, content: string): string {
  const lines = content.replace(/\n$/, "").split("\n");
  const added = lines.map((line) => `+${line}`).join("\n");
  return `*** Begin Patch\n*** Add File: ${path}\n${added}\n*** End Patch\n`;
}
