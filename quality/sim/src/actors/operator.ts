import { isLoopError, type LoopCommand, type LoopState, NewTask } from "@ccw-loop/core";
import type { Random } from "@ccw-loop/testkit";
import { COMMAND } from "../ports/sim-agent.ts";
import type { World } from "../world/world.ts";

/** What a person asks for who sees a loop like that. */
type Choice = (state: LoopState, random: Random) => LoopCommand[];

/** Commands of a person, by a process of its own that ends with the last answer. */
export async function sendCommands(
  world: World,
  id: string,
  choose: Choice = (state, random) => [commandFor(state, random)],
): Promise<void> {
  const { process, service, store } = world.spawn("operator");
  if (world.random.chance(0.1)) process.callsToLive = world.random.int(0, 12);
  try {
    for (const command of choose(await service.get(id), world.random)) {
      allow(world, id, command);
      world.trace.note(`${process.name} asks ${id} to ${command.type}`);
      const state = await service.send(id, command);
      world.trace.note(`${process.name} sees ${id} ${state.status}`);
    }
    await store.close();
  } catch (error) {
    // A refusal is an answer; a failing disk is not this person's business.
    if (process.alive && !isLoopError(error)) throw error;
  }
  process.alive = false;
}

/** The widest bounds that anybody ever asked for. */
function allow({ bounds }: World, id: string, command: LoopCommand): void {
  const { max_iterations = 0, limits = {} } = Object("changes" in command ? command.changes : null);
  const before = bounds.get(id) ?? { iterations: 0, turns: 0 };
  bounds.set(id, {
    iterations: Math.max(before.iterations, max_iterations),
    turns: Math.max(before.turns, limits.max_turns ?? 0),
  });
}

/** Whatever keeps a loop from working is taken away: it runs, and has something to do and room in its bounds. */
export const toWork: Choice = ({ status, waiting, max_iterations, usage }, random) => {
  if (status === "running" && !waiting) return [];
  if (status === "created") return [{ type: "start" }];
  if (waiting?.menu) return [{ type: "choose", action: "VALIDATE" }];
  if (waiting?.kind === "input" || waiting?.kind === "approval") {
    return [{ type: "answer", text: "accept" }];
  }
  if (status === "running") return [{ type: "resume", now: true }];
  const task = NewTask.parse({ id: `more-${random.int(1, 1e6)}`, description: "More" });
  const limits = { max_turns: (usage?.turns ?? 0) + 12, max_consecutive_failures: 1000 };
  const changes = { max_iterations: max_iterations + 4, limits };
  const reopen = status === "failed" || status === "completed";
  return [
    { type: "add_task", task },
    reopen ? { type: "resume", reopen, changes } : { type: "resume" },
  ];
};

function commandFor({ status, waiting, max_iterations }: LoopState, random: Random): LoopCommand {
  if (waiting?.kind === "input" && random.chance(0.6)) {
    if (waiting.menu) {
      return { type: "choose", action: random.pick(["DEVELOP", "VALIDATE", "COMPLETE", "DEBUG"]) };
    }
    return { type: "answer", text: random.pick(["accept", "reject", "go on"]) };
  }
  if (status !== "running" && random.chance(0.6)) {
    if (status === "created") return { type: "start" };
    const reopen = status === "failed" || status === "completed";
    const changes = { max_iterations: max_iterations + 2 };
    return reopen ? { type: "resume", reopen, changes } : { type: "resume" };
  }
  const kind = random.weighted({
    pause: 6,
    resume: 3,
    stop: 1,
    exit: 1,
    edit: 2,
    limits: 1,
    add_task: 2,
    edit_task: 1,
    remove_task: 1,
    now: 1,
  });
  const task_id = `extra-${random.int(1, 4)}`;
  const tool = random.chance(0.2) ? "bash" : "codex";
  const task = NewTask.parse({
    id: task_id,
    description: tool === "bash" ? COMMAND : "More",
    tool,
  });
  const commands: Record<typeof kind, LoopCommand> = {
    pause: { type: "pause" },
    resume: { type: "resume" },
    stop: { type: "stop" },
    exit: { type: "exit" },
    edit: { type: "edit", changes: { notes: `n${random.int(1, 1000)}` } },
    limits: { type: "edit", changes: { max_iterations: max_iterations + 1 } },
    add_task: { type: "add_task", task },
    edit_task: { type: "edit_task", task_id, changes: { description: "Less" } },
    remove_task: { type: "remove_task", task_id },
    now: { type: "resume", now: true },
  };
  return commands[kind];
}
