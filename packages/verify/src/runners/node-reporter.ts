/**
 * Runs inside the project's own `node --test`, which is told to load it by NODE_OPTIONS: writes one line per
 * test to a file of its own. It yields nothing, so the project's output stays as it is. Several processes (a
 * script that tests folder by folder) write several files; a run that a *test* starts writes none.
 */
import { closeSync, openSync, writeSync } from "node:fs";
import { join, resolve } from "node:path";
import { inspect } from "node:util";

/** Where it is certain that this process runs tests; else whoever begins a run in it takes the variable of all runners. */
export const NODE_VARIABLE = "CCW_LOOP_NODE_REPORTS";
/** That of `runner.ts`, which is not loaded into a process of the project. */
const REPORTS_VARIABLE = "CCW_LOOP_SCRIPT_REPORTS";
const NESTED_VARIABLE = "CCW_LOOP_NODE_NESTED";
const STACK_KEPT = 8 * 1024;

interface TestEvent {
  type: string;
  data?: TestData;
}
interface TestData {
  name?: string;
  nesting?: number;
  file?: string;
  /** Of an event about the beginning. */
  type?: string;
  skip?: unknown;
  todo?: unknown;
  details?: { duration_ms?: number; type?: string; error?: NodeTestError };
}
type NodeTestError = Error & { failureType?: string };

// While the module loads: the processes of the test files have not been started yet, and inherit the mark.
const folder = process.env[NODE_VARIABLE] ?? process.env[REPORTS_VARIABLE];
delete process.env[REPORTS_VARIABLE];
const nested = process.env[NESTED_VARIABLE] !== undefined;
if (folder !== undefined) process.env[NESTED_VARIABLE] = "1";

export default async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  if (folder === undefined || nested) {
    for await (const _ of source);
    return;
  }
  const file = openSync(join(folder, `${process.pid}-${Date.now()}.ndjson`), "wx");
  const write = (line: object) => writeSync(file, `${JSON.stringify(line)}\n`);
  const names: string[] = [];
  // Tests begin in another order than they are reported.
  const begun: string[] = [];
  const titled = ({ name = "", nesting = 0, file = "" }: TestData, around: readonly string[]) => ({
    // What Node says of a file that could not be loaded, or ended badly: it is called like its test.
    name: nesting === 0 && file !== "" && resolve(name) === file ? "(file)" : name.slice(0, 2000),
    file,
    parents: around.slice(0, nesting).map((parent) => parent.slice(0, 500)),
  });
  try {
    for await (const { type, data } of source) {
      if (data === undefined) continue;
      const nesting = data.nesting ?? 0;
      if (type === "test:start") names[nesting] = data.name ?? "";
      if (type === "test:dequeue") {
        begun[nesting] = data.name ?? "";
        if (data.type !== "suite") write({ begin: true, ...titled(data, begun) });
      }
      if (type !== "test:pass" && type !== "test:fail") continue;
      const error = data.details?.error;
      // A suite is no test, unless it fails by itself: a hook, or its own body.
      const own = error?.failureType !== "subtestsFailed";
      if (data.details?.type === "suite" && (type === "test:pass" || !own)) continue;
      const skipped = isSet(data.skip) || isSet(data.todo);
      write({
        ...titled(data, names),
        status: skipped ? "skipped" : type === "test:pass" ? "passed" : "failed",
        duration_ms: data.details?.duration_ms ?? 0,
        stack: stackOf(error).slice(0, STACK_KEPT),
      });
    }
    write({ end: true });
  } finally {
    closeSync(file);
  }
  yield "";
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== false;
}

/** Node wraps what a test threw; the cause is what people want to read. */
function stackOf(error: NodeTestError | undefined): string {
  if (error === undefined) return "";
  const { cause } = error;
  if (cause instanceof Error) return cause.stack ?? cause.message;
  if (typeof cause === "object" && cause !== null && "stack" in cause) return String(cause.stack);
  return cause === undefined ? error.message : typeof cause === "string" ? cause : inspect(cause);
}
