import { LoopError, type ProcessScope, type Verifier } from "@ccw-loop/core";
import { sampleVerification } from "@ccw-loop/testkit";
import type { Child } from "../world/children.ts";
import type { SimMachine } from "../world/sim-machine.ts";
import { type SimProcess, sleep } from "../world/sim-process.ts";
import { COMMAND } from "./sim-agent.ts";

/** Runs the tests of the simulated project, as a child of that process. */
export function simVerifier(world: SimMachine, process: SimProcess): Verifier {
  const { random, scheduler, children } = world;
  async function work(
    kind: Child["kind"],
    { scope, cwd, signal }: { scope?: ProcessScope | undefined; cwd: string; signal: AbortSignal },
    act = () => {},
  ) {
    signal.throwIfAborted();
    if (!scope) throw new TypeError("Nobody runs anything outside of a loop here.");
    const child = children.begin(kind, { scope, cwd, owner: process });
    const ended = AbortSignal.any([signal, child.killed.signal]);
    await sleep(scheduler, null, 20 + random.next() * 800, ended);
    if (signal.aborted && child.alive) await sleep(scheduler, null, random.next() * 30);
    if (child.alive && !signal.aborted) act();
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
    check: async () => [],
    async verify(_plan, options) {
      if (world.troubled && random.chance(0.01)) {
        throw new LoopError("verify_unavailable", "The tests could not be started.");
      }
      // A clean room holds what was just proven in place; it can only be cut off.
      if (options.room) return sampleVerification(await work("tests", options));
      const project = world.projectAt(options.cwd);
      const [before, passes] = [project.tree, project.passes];
      const whole = await work("tests", options);
      const passed = whole && passes && project.tree === before;
      if (passed) {
        project.proven.add(before);
        world.triggers.fire("passed", { process, loop: options.scope?.loop ?? "" });
      }
      world.trace.note(`${process.name} tests ${passed ? "pass" : "fail"}`);
      return sampleVerification(passed);
    },
    missing: async () => [],
    surroundings: async (_cwd, since) => ({ since, newer: [], changed: false }),
    async probe(command, options) {
      const isTask = command.includes(COMMAND);
      const whole = await work("probe", options, () => {
        if (!isTask) return;
        world.count("command of a task");
        world.projectAt(options.cwd).edit("made.js", random.chance(0.9));
      });
      return {
        exit_code: whole ? (isTask && random.chance(0.1) ? 2 : 0) : null,
        duration_ms: 1,
        output: random.pick(["1", "2", "3"]),
        timed_out: false,
      };
    },
  };
}
