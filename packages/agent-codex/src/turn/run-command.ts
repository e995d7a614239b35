import { randomUUID } from "node:crypto";
import { type ExecResult, orAborted } from "@ccw-loop/core";
import { outputTail } from "@ccw-loop/processes";
import { bubblewrapError } from "@ccw-loop/processes/containment";
import { isDoneWithin } from "@ccw-loop/processes/json-rpc";
import type { Failure } from "../failure/failure.ts";
import type { ThreadArguments } from "../launch/arguments.ts";
import type { CodexSandbox } from "../options.ts";
import { CommandRun, EmptyResult, type SandboxPolicy } from "../protocol.ts";
import type { TurnContext } from "./run-turn.ts";

const OUTPUT_KEPT = 64 * 1024;
/** The longest timer there is. */
const MAX_TIMER_MS = 2 ** 31 - 1;

interface CommandContext extends TurnContext, Pick<ThreadArguments, "cwd" | "profile"> {
  /** What Codex confines the commands of this thread's turns by, unless a profile does. */
  policy: SandboxPolicy;
}

export type CommandEnd =
  | { type: "ended"; result: ExecResult }
  | { type: "aborted" }
  | { type: "failed"; failure: Failure };

/**
 * Runs a shell command as the turns of the thread run theirs: left to itself Codex would take the user's own policy,
 * end the command after its own time, and keep the first bytes instead of the last. However it ends, no process of it
 * is alive when this resolves; a Codex that does not end it in time is killed.
 */
export async function runCommand(
  context: CommandContext,
  command: string,
  timeoutMs: number,
): Promise<CommandEnd> {
  const { server, cwd, sandbox, profile, policy, commands, signal } = context;
  const processId = randomUUID();
  const output = outputTail({ bytes: OUTPUT_KEPT });
  const stopListening = context.listen((notification) => {
    if (notification.method !== "command/exec/outputDelta") return;
    const { params } = notification;
    if (params.processId === processId) output.write(Buffer.from(params.deltaBase64, "base64"));
  });
  const limit = AbortSignal.timeout(Math.min(timeoutMs, MAX_TIMER_MS));

  try {
    if (signal.aborted) return { type: "aborted" };
    const parameters = {
      processId,
      command: ["/bin/sh", "-c", command],
      cwd,
      // The policy does not tell which folders the profile protects.
      ...(profile === null ? { sandboxPolicy: policy } : { permissionProfile: profile }),
      ...{ streamStdoutStderr: true, disableOutputCap: true, disableTimeout: true },
    };
    const ended = server.request("command/exec", parameters, CommandRun, Number.POSITIVE_INFINITY);
    const end = await orAborted(ended, AbortSignal.any([signal, limit])).catch(() => null);
    if (end === null) {
      await stopCommand(context, processId, ended);
      if (signal.aborted) return { type: "aborted" };
      const result = { exit_code: null, output: output.text(), timed_out: true };
      return { type: "ended", result };
    }
    await commands.end({ graceMs: 0 });
    if (!end.ok) return { type: "failed", failure: end.failure };
    return commandEnd(end.result.exitCode, output.text(), sandbox);
  } finally {
    stopListening();
  }
}

/** Codex ends the command's first process, and in the sandbox all others with it. */
async function stopCommand(
  { server, commands, limits }: CommandContext,
  processId: string,
  ended: Promise<unknown>,
): Promise<void> {
  const gentle = Promise.all([
    server.request("command/exec/terminate", { processId }, EmptyResult),
    commands.end({ graceMs: 0 }),
    ended,
  ]);
  if (await isDoneWithin(limits.interruptMs, gentle)) await commands.end({ graceMs: 0 });
  else await server.kill();
}

function commandEnd(exit_code: number, output: string, sandbox: CodexSandbox): CommandEnd {
  const complaint = sandbox === "workspace-write" ? bubblewrapError(exit_code, output) : null;
  if (complaint === null) return { type: "ended", result: { exit_code, output, timed_out: false } };
  const message = `Codex cannot confine commands: ${complaint}`;
  return { type: "failed", failure: { kind: "sandbox", message } };
}
