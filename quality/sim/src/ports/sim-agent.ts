import { type Agent, LoopError } from "@ccw-loop/core";
import { plannedAgent, type Random, type TurnPlan } from "@ccw-loop/testkit";
import type { SimEvent } from "../judge/events.ts";
import type { SimMachine } from "../world/sim-machine.ts";
import { clockOf, type SimProcess } from "../world/sim-process.ts";
import type { Project } from "./project.ts";

const USAGE = { input_tokens: 900, cached_input_tokens: 0, output_tokens: 100, total_tokens: 1000 };

const COUNTED: Partial<Record<TurnPlan["ending"]["kind"], SimEvent>> = {
  die: "agent that dies",
  hang: "agent that hangs",
  usage_limit: "usage limit",
};

/** The agent of one process. What it does is the seed's choice; when everything is healed it only works. */
export function simAgent(world: SimMachine, process: SimProcess): Agent {
  const { random, scheduler, children } = world;
  /** Of the last prompt that named one: a request to repair an answer does not. */
  let action = "";
  return plannedAgent({
    clock: clockOf(scheduler, () => world.wall(), null),
    reachCaller: () => scheduler.pass(process, random.next() * 2),
    opening({ scope }) {
      world.triggers.fire("open", { process, loop: scope?.loop ?? "" });
      const refused =
        world.troubled && random.chance(0.01)
          ? new LoopError("agent_unavailable", "The agent cannot be started.")
          : null;
      return { after: random.next() * 40, refused };
    },
    turn: (prompt) => {
      action = actionIn(prompt) ?? action;
      const plan = planOf(world, action);
      const event = COUNTED[plan.ending.kind];
      if (event) world.count(event);
      world.trace.note(`${process.name} turn ${action} ${plan.ending.kind}`);
      return plan;
    },
    begin(_prompt, { scope, cwd }) {
      if (!scope) throw new TypeError("A session works for a loop.");
      const child = children.begin("turn", { scope, cwd, owner: process });
      const develops = action === "DEVELOP";
      return {
        work() {
          if (child.alive && develops) develop(world.projectAt(cwd));
        },
        end: () => children.end(child),
        killed: child.killed.signal,
      };
    },
  });

  function develop(project: Project): void {
    const { troubled } = world;
    if (random.chance(0.1)) return;
    const path = random.chance(0.7) ? "cart.js" : `part-${random.int(1, 3)}.js`;
    project.edit(path, random.chance(troubled ? 0.7 : 0.95));
    if (random.chance(troubled ? 0.5 : 0.9)) project.repair();
  }
}

function planOf(world: SimMachine, action: string): TurnPlan {
  const { random, troubled } = world;
  const kind = troubled
    ? random.weighted({ answer: 80, garbage: 4, die: 4, hang: 4, fail: 3, usage: 3, rate: 2 })
    : "answer";
  const answer = () => answerTo(action, random);
  const endings: Record<typeof kind, () => TurnPlan["ending"]> = {
    answer: () => ({ kind: "answer", text: answer() }),
    garbage: () => ({ kind: "answer", text: garbage(random, answer()) }),
    die: () => ({ kind: "die" }),
    hang: () => ({ kind: "hang" }),
    fail: () => ({ kind: "fail" }),
    usage: () =>
      random.chance(0.5)
        ? { kind: "usage_limit" }
        : {
            kind: "usage_limit",
            resets_at: new Date(world.wall() + random.int(-10, 90) * 1000).toISOString(),
          },
    rate: () => ({ kind: "rate_limited" }),
  };
  return {
    after: 50 + random.next() * (random.chance(0.3) ? 6000 : 600),
    ending: endings[kind](),
    usage: random.chance(0.9) ? USAGE : null,
    flood: troubled && random.chance(0.02) ? 200 : 1,
    lag: random.next() * 40,
  };
}

/** An answer that is none, only half of one, or one of another action. */
function garbage(random: Random, answer: string): string {
  return random.pick([
    "Sure, all done!",
    answer.slice(0, answer.length >> 1),
    '{"action":"COMPLETE","status":"success","message":"done"}',
    "",
  ]);
}

function actionIn(prompt: string): string | undefined {
  return /# ACTION: (\w+)/.exec(prompt)?.[1];
}

/** Of a task that is a command; the simulated verifier knows what it does. */
export const COMMAND = "make part";

/** What the agent claims to have done. It cannot know whether that is true. */
export function answerTo(action: string, random: Random): string {
  const status = random.weighted({ success: 20, failed: 2, needs_input: 1 });
  const more = status === "success" ? updatesOf(action, random) : {};
  return JSON.stringify({ action, status, message: `${action} ${status}`, state_updates: more });
}

function updatesOf(action: string, random: Random): Record<string, unknown> {
  if (action === "INIT") {
    const tasks = Array.from({ length: random.int(1, 2) }, (_, n) => ({
      description: `Part ${n}`,
      ...(random.chance(0.2) ? { command: COMMAND } : {}),
    }));
    return { tasks };
  }
  if (action === "DEVELOP") return { summary: "wrote it" };
  if (action !== "DEBUG") return {};
  return {
    active_bug: "cart",
    understanding: "it rounds",
    hypotheses: [
      {
        id: "H1",
        description: `it rounds ${random.int(1, 3)} times`,
        testable_condition: "total differs",
        logging_point: "cart.js:total:3",
        evidence_criteria: { confirm: "seen", reject: "not seen" },
        likelihood: 1,
        // The probe of the simulated verifier shows 1 in a project, or 2.
        probe: {
          command: "node total.js",
          if_holds: [{ kind: "text", how: "is", text: "1" }],
          if_not: [{ kind: "text", how: "is", text: "2" }],
        },
      },
    ],
    confirmed_hypothesis: random.pick(["H1", null]),
    fix_tasks: [],
  };
}
