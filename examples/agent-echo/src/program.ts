import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { TurnEvent } from "@ccw-loop/core";
import type { Turn } from "./program-agent.ts";

export function tell(event: TurnEvent): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

/** The turn that is to be done. What comes on stdin behind it steers; this program does not listen. */
export async function readTurn(): Promise<Turn> {
  for await (const line of createInterface({ input: process.stdin })) {
    // It stays open for steering, and must not keep the program from ending.
    process.stdin.unref();
    return JSON.parse(line);
  }
  throw new Error("There is no turn on stdin.");
}

/** Runs a shell command in the project, and tells of it as the contract wants it. */
export async function runCommand(command: string): Promise<void> {
  tell({ type: "command.started", command });
  const child = spawn("/bin/sh", ["-c", command], { stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => tell({ type: "command.output", text }));
  }
  const [exit_code] = await once(child, "close");
  tell({ type: "command.completed", command, exit_code });
}
