import {
  decide,
  LoopCommand,
  LoopEvent,
  type LoopState,
  type NewLoop,
  replay,
} from "@ccw-loop/core";
import { loopService } from "@ccw-loop/orchestrator";
import { fakeClock, memoryStore, memoryWorkspace, passingVerifier } from "@ccw-loop/testkit";
import { type Recording, recording } from "./recorded-loop.ts";

/** When the loops of tests are looked at. */
export const NOW = "2026-01-22T10:00:00.000Z";

/** A loop as the service makes it, that long before `NOW`. */
export async function made(spec: Partial<NewLoop>, minutesAgo = 60): Promise<LoopState> {
  const start = minutesBefore(minutesAgo);
  const workspace = memoryWorkspace(new Map());
  const service = loopService({
    store: memoryStore(),
    clock: fakeClock({ start }),
    agent: async () => ({
      driver: "none",
      check: async () => ({ ok: true, version: null, problems: [], notes: [] }),
      open: () => Promise.reject(new Error("Nothing is driven here.")),
    }),
    verifier: passingVerifier(),
    workspace: async () => workspace,
    cwd: "/repo/cart",
  });
  return service.create({ description: "Add a flag", ...spec });
}

type Untimed<T> = T extends unknown ? Omit<T, "at"> : never;

/** The loop after commands or facts, that long before `NOW`. */
export function after(
  state: LoopState,
  minutesAgo: number,
  ...said: (LoopCommand | Untimed<LoopEvent>)[]
): LoopState {
  const at = minutesBefore(minutesAgo);
  return said.reduce<LoopState>((before, one) => {
    const command = LoopCommand.safeParse(one);
    const events = command.success
      ? decide(before, command.data, at)
      : [LoopEvent.parse({ ...one, at })];
    return { ...replay(events, before), revision: (before.revision ?? 0) + 1 };
  }, state);
}

function minutesBefore(minutes: number): string {
  return new Date(Date.parse(NOW) - minutes * 60_000).toISOString();
}

/** The state at the end of a recorded loop, under another id and title. */
export function ended(name: Recording, id: string, title: string): LoopState {
  const events = recording(name).flatMap((live) =>
    live.kind === "recorded" ? [live.recorded.event] : [],
  );
  return { ...replay(events), loop_id: id, title, revision: events.length };
}
