import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import {
  type ExecOptions,
  type ExecResult,
  LoopError,
  orAborted,
  systemShortage,
} from "@ccw-loop/core";
import { outputTail } from "@ccw-loop/processes";
import { bubblewrapArguments, bubblewrapError } from "@ccw-loop/processes/containment";
import type { Contained } from "../launch/sandbox.ts";
import type { ConversationSpec } from "./conversation-spec.ts";

const OUTPUT_KEPT = 64 * 1024;
/** The longest timer there is. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** When all its processes are gone, its last words may still be in the pipe. */
const DRAIN_MS = 500;

/** Runs a shell command contained as the agent is, beside it. No process of it is alive when this settles. */
export async function execContained(
  { cwd, env, newTree }: Pick<ConversationSpec, "cwd" | "env" | "newTree">,
  { bubblewrap, containment }: Contained,
  command: string,
  { signal, timeoutMs }: ExecOptions,
): Promise<ExecResult> {
  signal.throwIfAborted();
  const tree = newTree();
  const args = bubblewrapArguments(containment, ["/bin/sh", "-c", command]);
  const child = tree.spawn(bubblewrap, args, {
    ...{ cwd, env: { ...env, CI: "1" } },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = outputTail({ bytes: OUTPUT_KEPT });
  for (const pipe of [child.stdout, child.stderr]) {
    pipe?.on("data", (chunk: Buffer) => output.write(chunk));
  }
  const closed = once(child, "close").catch(() => undefined);
  const exited = once(child, "exit").then(
    ([code]): number | null => code,
    (cause: unknown) => {
      const message = `The command cannot be started: ${bubblewrap} does not run.`;
      throw systemShortage(cause) ?? new LoopError("sandbox_unavailable", message, { cause });
    },
  );
  const limit = AbortSignal.timeout(Math.min(timeoutMs, MAX_TIMER_MS));
  try {
    const exit_code = await orAborted(exited, AbortSignal.any([signal, limit]));
    await tree.end({ graceMs: 0 });
    await Promise.race([closed, delay(DRAIN_MS, undefined, { ref: false })]);
    const complaint = bubblewrapError(exit_code, output.text());
    if (complaint !== null) throw broken(complaint);
    return { exit_code, output: output.text(), timed_out: false };
  } catch (error) {
    await tree.end({ graceMs: 0 });
    signal.throwIfAborted();
    if (!limit.aborted) throw error;
    return { exit_code: null, output: output.text(), timed_out: true };
  } finally {
    child.stdout?.destroy();
    child.stderr?.destroy();
  }
}

/** The sandbox was there when the session was opened. */
function broken(complaint: string): LoopError {
  const message = `The command was not run, for its sandbox does not work any more (${complaint.replace(/\.$/, "")}). Put that right, then try again.`;
  return new LoopError("sandbox_unavailable", message);
}
