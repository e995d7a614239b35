import { once } from "node:events";
import type { ProcessTree } from "@ccw-loop/processes";
import { tail } from "./tail.ts";

const ANSWER_KEPT = 16 * 1024;

export interface AskOptions {
  family: ProcessTree;
  env: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
}

/**
 * What a program prints before it ends with exit code 0. Rejects when it cannot be started, fails, takes longer than
 * `withinMs`, or at an abort; nothing of it runs afterwards.
 */
export async function ask(
  program: string,
  args: readonly string[],
  { family, env, signal }: AskOptions,
  withinMs: number,
): Promise<string> {
  const limit = AbortSignal.timeout(withinMs);
  const over = signal ? AbortSignal.any([signal, limit]) : limit;
  const child = family.spawn(program, args, { env: { ...env }, stdio: "pipe" });
  const answer = tail(ANSWER_KEPT);
  child.stdin.on("error", () => undefined).end();
  child.stdout.on("data", (chunk: Buffer) => answer.add(chunk));
  child.stderr.resume();
  try {
    const [code] = await once(child, "close", { signal: over });
    if (code !== 0) throw new Error(`${program} ended with exit code ${code}.`);
    return answer.text();
  } finally {
    await family.end({ graceMs: 0 });
  }
}
