import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { rolldown } from "rolldown";
import { removeFolder, temporaryFolder } from "../../support/folders.ts";
import type { WorkerMessage } from "./workers/messages.ts";

export interface Worker {
  program: string;
  role: string;
  task: unknown;
  /** A command that runs the rest of its line in other surroundings. */
  prefix?: string[];
}

export interface Started {
  child: ChildProcess;
  /** Resolves when it is gone and all of its messages were read. */
  gone: Promise<{ signal: NodeJS.Signals | null }>;
  /** The end of what it wrote on stderr. */
  complaint(): string;
}

const KEPT = 4000;

/** Starts a worker. */
export function start(
  { program, role, task, prefix = [] }: Worker,
  onMessage: (message: WorkerMessage) => void,
): Started {
  const line = [...prefix, process.execPath, program, role, JSON.stringify(task)];
  const child = spawn(line[0] ?? "", line.slice(1), {
    stdio: ["ignore", "ignore", "pipe", "pipe", "ipc"],
  });
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-KEPT);
  });
  const lines = createInterface({ input: child.stdio[3] as NodeJS.ReadableStream });
  lines.on("line", (line) => {
    const message = parsed(line);
    if (message) onMessage(message);
  });
  const allRead = once(lines, "close");
  const gone = once(child, "close").then(async ([, signal]) => {
    await allRead;
    return { signal: signal as NodeJS.Signals | null };
  });
  return { child, gone, complaint: () => stderr };
}

/** The last line of a process that was killed may be cut off. */
function parsed(line: string): WorkerMessage | undefined {
  try {
    return JSON.parse(line) as WorkerMessage;
  } catch {
    return undefined;
  }
}

/** The worker program as few files as one process needs to read. */
export interface Bundle extends Disposable {
  /** To be run by node, with the role and the task as arguments. */
  program: string;
}

/** A process is killed most often before it is a second old, so it must not take half of one to start. */
export async function bundleWorker(): Promise<Bundle> {
  const folder = temporaryFolder("soak-program");
  const made = await rolldown({
    input: { worker: join(import.meta.dirname, "worker.ts") },
    platform: "node",
  });
  await made.write({ dir: folder, format: "esm", minify: false });
  await made.close();
  const program = join(folder, "main.mjs");
  writeFileSync(
    program,
    `import { enableCompileCache } from "node:module";\nenableCompileCache(${JSON.stringify(join(folder, "cache"))});\nawait import("./worker.js");\n`,
  );
  return {
    program,
    [Symbol.dispose]: () => removeFolder(folder),
  };
}
