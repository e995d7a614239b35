import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished, vi } from "vitest";
import { BIN } from "./bin.ts";

const SHORT_LEASE = fileURLToPath(new URL("./short-lease.ts", import.meta.url));

// Everything here is a process of its own, and there may be few cores.
export const PATIENCE = { timeout: 30_000, interval: 10 };

/** A process that prints lines of JSON; killed with the test. */
export interface Lines {
  child: ChildProcess;
  /** What it printed so far, parsed, with the time at which it arrived here. */
  records: { at: number; record: Printed }[];
  /** With its exit code; null when a signal ended it. */
  ended: Promise<number | null>;
}

interface Printed {
  kind: string;
  type?: string;
  id: string;
  activity?: { event: { type: string } };
  recorded?: { event: { type: string; action?: string; attempt?: number } };
}

export function ccwLoop(cwd: string, ...args: string[]): Lines {
  return startLines([BIN, ...args], cwd);
}

export function shortLease(cwd: string): Lines {
  return startLines([SHORT_LEASE, cwd], cwd);
}

function startLines(args: string[], cwd: string): Lines {
  const env = { ...process.env, HOME: cwd, NO_COLOR: "1" };
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => {
    child.kill("SIGCONT");
    child.kill("SIGKILL");
  });
  const records: Lines["records"] = [];
  let rest = "";
  child.stdout.on("data", (data: Buffer) => {
    const at = performance.now();
    const lines = (rest + data.toString()).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith('{"')) records.push({ at, record: JSON.parse(line) as Printed });
    }
  });
  return { child, records, ended: once(child, "close").then(([code]) => code as number | null) };
}

/** When each of these loops began an action here, by id, once all of them did. */
export function begun(lines: Lines, action: string, ids: readonly string[]) {
  return firstOf(lines, ids, ({ recorded }) => {
    return recorded?.event.type === "action.started" && recorded.event.action === action;
  });
}

/** When the agent of each of these loops ran its first command here, once all of them did. */
export function atCommand(lines: Lines, ids: readonly string[]) {
  return firstOf(lines, ids, ({ activity }) => activity?.event.type === "command.started");
}

async function firstOf(
  { records }: Lines,
  ids: readonly string[],
  fits: (record: Printed) => boolean,
): Promise<Record<string, number>> {
  return vi.waitFor(() => {
    const times = ids.map((id) => {
      const found = records.find(({ record }) => record.id === id && fits(record));
      if (!found) throw new Error(`${id} is not that far: ${JSON.stringify(records.at(-1))}`);
      return [id, found.at] as const;
    });
    return Object.fromEntries(times);
  }, PATIENCE);
}
