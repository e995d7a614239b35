import {
  LoopError,
  type ProcessScope,
  type Verification,
  type Verifier,
} from "../../../packages/core/src/index.ts";
import type { Child } from "../world/children.ts";
import { sleep } from "../world/sim-machine.ts";
import type { SimProcess } from "../world/sim-process.ts";
import type { World } from "../world/world.ts";

/** Runs the tests of the simulated project, as a child of that process. */
export function simVerifier(world: World, process: SimProcess): Verifier {
  const { random, scheduler, children, project } = world;
  async function work(kind: Child["kind"], scope: ProcessScope | undefined, signal: AbortSignal) {
    signal.throwIfAborted();
    if (!scope) throw new TypeError("Nobody runs anything outside of a loop here.");
    const child = children.begin(kind, scope, process);
    const ended = AbortSignal.any([signal, child.killed.signal]);
    await sleep(scheduler, null, 20 + random.next() * 800, ended);
    if (signal.aborted && child.alive) await sleep(scheduler, null, random.next() * 30);
    children.end(child);
    await scheduler.pass(process, random.next());
    signal.throwIfAborted();
    return !child.killed.signal.aborted;
  }
  return {
    detect: async (_cwd, given = "npm test") => ({
      command: given,
      source: "given",
      parts: [{ command: given, report: "junit" }],
    }),
    inspect: async () => [],
    async verify(_plan, { scope, signal }) {
      if (world.troubled && random.chance(0.01)) {
        throw new LoopError("verify_unavailable", "The tests could not be started.");
      }
      const [before, passes] = [project.tree, project.passes];
      const whole = await work("tests", scope, signal);
      const passed = whole && passes && project.tree === before;
      if (passed) {
        project.proven.add(before);
        for (const act of world.ambushes.passed.splice(0)) act();
      }
      world.trace.note(`${process.name} tests ${passed ? "pass" : "fail"}`);
      return verification(passed);
    },
    async probe(_command, { scope, signal }) {
      const whole = await work("probe", scope, signal);
      return { exit_code: whole ? 0 : null, duration_ms: 1, output: "seen", timed_out: false };
    },
  };
}

function verification(passed: boolean): Verification {
  const counts = { total: 1, passed: passed ? 1 : 0, failed: passed ? 0 : 1, skipped: 0 };
  const reason = passed ? "1 of 1 tests passed." : "1 of 1 tests failed.";
  const exit_code = passed ? 0 : 1;
  return {
    command: "npm test",
    started_at: "2030-01-01T00:00:00.000Z",
    duration_ms: 5,
    exit_code,
    report: "junit",
    counts,
    tests: [
      {
        test_name: "total",
        suite: "cart",
        status: passed ? "passed" : "failed",
        duration_ms: 1,
        error_message: passed ? null : "1 is not 2",
        stack_trace: null,
      },
    ],
    coverage: null,
    coverage_files: [],
    passed,
    reason,
    output_tail: "",
    test_files: {},
    environment: "e",
    runners: {},
    commands: [
      {
        command: "npm test",
        exit_code,
        duration_ms: 5,
        report: "junit",
        runner: null,
        counts,
        verdict: passed ? "passed" : "tests_failed",
        reason,
      },
    ],
  };
}
