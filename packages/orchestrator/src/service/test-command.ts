import { type LoopCommand, LoopError, type LoopState, testAnswer } from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";

type Deps = Pick<OrchestratorDeps, "agentsElsewhere" | "cwd" | "verifier">;

/** The first word of a command, behind settings of variables; nothing where a shell makes it up. */
const PROGRAM = /^(?:[A-Za-z_]\w*=\S*\s+)*([^\s()$`;&|<>"'\\]+)/;
const LOOK_MS = 10_000;

/** Throws `invalid_input` for a test command that is answered and whose program is not here. Another machine's files are not looked at. */
export async function requireTestProgram(
  { agentsElsewhere, cwd, verifier }: Deps,
  state: LoopState,
  command: LoopCommand,
): Promise<void> {
  if (command.type !== "answer" || state.waiting?.about !== "tests") return;
  const answer = testAnswer(command.text, command.option);
  if (!("verify" in answer) || agentsElsewhere || state.settings?.repository) return;
  const [, program] = PROGRAM.exec(answer.verify) ?? [];
  if (program === undefined) return;
  const { exit_code } = await verifier.probe(`command -v ${program}`, {
    cwd: state.workspace?.path ?? cwd,
    signal: new AbortController().signal,
    timeoutMs: LOOK_MS,
  });
  if (exit_code === 0) return;
  const message = `There is no program ${program} here, so ${JSON.stringify(answer.verify)} cannot run the tests. Answer with a command that does. Where there is nothing to test, continue without tests: ccw-loop answer ${state.loop_id} --waive-tests -`;
  throw new LoopError("invalid_input", message);
}
