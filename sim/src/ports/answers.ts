import type { Random } from "../../../packages/testkit/src/index.ts";

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
