import { LoopState } from "@ccw-loop/core";
import { loopService } from "@ccw-loop/orchestrator";
import { fsStore } from "@ccw-loop/store-fs";
import { memoryWorkspace, ONE_TASK, passingVerifier, scriptedAgent } from "@ccw-loop/testkit";

/** A project with so many loops of some 6 KB each, as loops in mid-work are. Answers their ids. */
export async function fill(root: string, loops: number): Promise<string[]> {
  const store = fsStore({ root, durability: "process" });
  const ids = Array.from({ length: loops }, (_, n) => `loop-${String(n).padStart(5, "0")}`);
  for (const [n, id] of ids.entries()) await store.create(stateOf(id, n), { actor: "operator" });
  await store.close();
  return ids;
}

function stateOf(id: string, n: number): LoopState {
  const at = new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString();
  const tasks = Array.from({ length: 12 }, (_, task) => ({
    id: `task-${task}`,
    description: `Make part ${task} of the cart count in whole cents, and show the sum in the user's own currency.`,
    status: task < 6 ? "completed" : "pending",
    files_changed: ["src/cart.js", "src/money.js", "test/cart.test.js"],
    created_at: at,
    summary: "Counts in cents now; the two places that rounded too early are gone.",
  }));
  return LoopState.parse({
    loop_id: id,
    title: `Loop ${n}`,
    description: "Make the cart count in whole cents",
    status: "paused",
    max_iterations: 10,
    current_iteration: 6,
    created_at: at,
    updated_at: at,
    skill_state: {
      current_action: "develop",
      last_action: "DEVELOP",
      mode: "auto",
      develop: { tasks },
    },
  });
}

/** A service over the real files of `root` whose loops nobody drives. */
export function idleLoops(root: string) {
  const store = fsStore({ root });
  const service = loopService({
    store,
    agent: async () => scriptedAgent({ script: { turns: ONE_TASK } }),
    verifier: passingVerifier(),
    workspace: async () => memoryWorkspace(new Map()),
    cwd: root,
  });
  return { store, service };
}
