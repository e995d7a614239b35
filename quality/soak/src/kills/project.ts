import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fsStore } from "@ccw-loop/store-fs";
import type { AgentScriptInput } from "@ccw-loop/testkit";
import { temporaryFolder } from "../../../support/folders.ts";
import { turnFor } from "../../../support/script.ts";
import { composed, newTask } from "../workers/composition.ts";
import { sendNothing } from "../workers/messages.ts";

/** A project with loops of its own. */
export interface Project {
  root: string;
  /** Where the loops' files are. */
  folder: string;
  loops: string[];
}

/** Below the project, and no part of any loop's files. */
const NOTES = ".workflow";

/** Bounds that a loop does not reach which is cut off all the time. */
const NO_BOUNDS = {
  max_duration_ms: 3e10,
  max_turns: 1e6,
  max_tokens: 1e12,
  max_stalled: 1e6,
  max_consecutive_failures: 1e6,
};

/**
 * Makes a project whose agent and tests hold the kernel's lock of their loop while they work. Who finds it held works
 * at the same time as somebody else, and writes that down.
 */
export async function makeProject(count: number): Promise<Project> {
  const root = temporaryFolder("soak");
  const loops = Array.from({ length: count }, (_, n) => `loop-${n}`);
  const store = fsStore({ root });
  const service = composed({ root, store, leaseTtlMs: 1000, send: sendNothing });
  mkdirSync(join(root, "work"));
  writeFileSync(join(root, "work", "README"), "The agents write here.\n");
  for (const [n, id] of loops.entries()) {
    const script = join(root, `${id}.agent.json`);
    writeFileSync(script, JSON.stringify(agentScript(root, id)));
    writeFileSync(join(root, `${id}.test.sh`), `${alone(root, id, "tests", "sleep 0.02")}\n`);
    await service.create({
      id,
      description: `Loop ${n} of the soak`,
      max_iterations: 1e6,
      limits: NO_BOUNDS,
      settings: {
        mode: "auto",
        agent: `scripted:${script}`,
        ...(n % 2 === 0 ? { waive_tests: "The soak." } : { verify: `sh ${id}.test.sh` }),
      },
    });
    // Given tasks are the plan: a loop that is cut off all the time gets past its first action.
    if (n % 4 !== 0) await service.send(id, { type: "add_task", task: newTask("first") });
  }
  await store.close();
  return { root, folder: join(root, ".workflow", ".loop"), loops };
}

/** How often the agent was cut off in the middle of its work. */
export function workInterrupted({ root }: Project): number {
  const path = join(root, NOTES, "work.log");
  const lines = existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n") : [];
  const count = (word: string) => lines.filter((line) => line === word).length;
  return count("begun") - count("ended");
}

/** Who began to work while somebody else still did; a line each. */
export function workedTwice({ root }: Project): string[] {
  const path = join(root, NOTES, "twice.log");
  return existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n") : [];
}

function agentScript(root: string, id: string): AgentScriptInput {
  // Nobody's child any more, or that of an owner who stands still, a process outside of every group would work on for long.
  const log = join(root, NOTES, "work.log");
  const owned = "kill -0 $OWNER && ! grep -q stopped /proc/$OWNER/status && kill $!";
  const work = `echo begun | tee -a ${log}; setsid sleep 20 & sleep 0.1; ${owned}; wait; echo ended >> ${log}`;
  const steps = [
    { run: alone(root, id, "agent", `sh -c '${work}'`) },
    { append: { path: `work/${id}.txt`, text: "Done.\n" } },
  ];
  return {
    turns: [
      turnFor("DEVELOP", { message: "Done." }, steps),
      turnFor("DEBUG", { message: "Nothing." }, steps),
      turnFor("INIT", { message: "Planned.", state_updates: { tasks: ["Work"] } }, steps),
      { repeat: true, action: "DEVELOP", answer: { message: "Done." } },
    ],
  };
}

/** A shell command that runs `command` if nobody else of that loop works at this moment. */
function alone(root: string, id: string, who: string, command: string): string {
  const lock = join(root, NOTES, `${id}.lock`);
  const note = `echo "$(date +%s.%N) ${id}: the ${who} began to work while somebody worked" >> ${join(root, NOTES, "twice.log")}`;
  return `OWNER=$PPID flock -n -E 75 ${lock} ${command} || { [ $? -ne 75 ] || ${note}; }`;
}
