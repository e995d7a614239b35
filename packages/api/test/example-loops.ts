import { NewTask } from "@ccw-loop/core";
import { type AgentScriptInput, ONE_TASK } from "@ccw-loop/testkit";
import { vi } from "vitest";
import { ISSUES } from "./example-issues.ts";
import { type Bench, bench } from "./support.ts";

const WAITS_FOR_ADVICE: AgentScriptInput["turns"] = [
  {
    action: "INIT",
    when: "Total by night",
    steps: [{ say: "Which total?" }, { expect_steer: "rounding" }],
    answer: { state_updates: { tasks: [{ description: "count" }] } },
  },
];

const settings = { mode: "auto", flaky_reruns: 0, expect: "unchanged" } as const;

/** How each loop of the contract's examples comes to be. */
const MAKING: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  async "cart-total"(bench) {
    await create(bench, "cart-total", "The total of the cart is wrong");
    await bench.service.run("cart-total");
  },
  async "fresh-start"(bench) {
    await create(bench, "fresh-start", "Start afresh");
    for (const id of ["task-1", "task-2"]) {
      const task = NewTask.parse({ id, description: `Do ${id}` });
      await bench.service.send("fresh-start", { type: "add_task", task });
    }
  },
  async "lunch-break"(bench) {
    await create(bench, "lunch-break", "Pause for lunch");
    await bench.service.send("lunch-break", { type: "start" });
    await bench.service.send("lunch-break", { type: "pause" });
  },
  async "needs-you"(bench) {
    await create(bench, "needs-you", "Ask a person");
    await bench.service.send("needs-you", { type: "start" });
    const { revision } = await bench.store.read("needs-you");
    const waiting = { kind: "input", since: AT, prompt: "Which tax table?" } as const;
    const event = { type: "waiting.started", at: AT, waiting } as const;
    await bench.store.append("needs-you", revision, [event], { actor: "test" });
  },
  async "night-shift"(bench) {
    await create(bench, "night-shift", "Total by night");
    await bench.service.send("night-shift", { type: "start" });
  },
};

async function create({ service }: Bench, id: string, description: string): Promise<void> {
  await service.create({ id, title: description, description, settings, tags: ["shop"] });
}

/** A bench with loops that the examples of the contract name; all of them unless told. */
export async function benchOfExamples(ids = Object.keys(MAKING)): Promise<Bench> {
  const made = bench({ turns: [...WAITS_FOR_ADVICE, ...ONE_TASK], files: ISSUES });
  for (const id of ids) await MAKING[id]?.(made);
  return made;
}

const AT = "2026-01-22T10:00:00.000Z";

/** Drives the loop that waits for a word in the middle of its turn; resolves when it does. */
export async function driveNightShift({ service }: Bench): Promise<() => Promise<void>> {
  const over = new AbortController();
  const run = service.run("night-shift", { signal: over.signal, onAbort: "release" });
  // Its turn listens as soon as it has streamed its first line.
  await vi.waitFor(async () => {
    const types: string[] = [];
    for await (const { event } of service.activity("night-shift")) types.push(event.type);
    if (!types.includes("message.delta")) throw new Error("no turn yet");
  });
  return async () => {
    over.abort();
    await run;
  };
}
