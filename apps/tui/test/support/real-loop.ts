import { join } from "node:path";
import type { LiveEvent, LoopService, NewLoop, Verifier, Workspace } from "@ccw-loop/core";
import { loopService } from "@ccw-loop/orchestrator";
import {
  type AgentScriptInput,
  folderWorkspace,
  memoryStore,
  passingVerifier,
  scriptedAgent,
} from "@ccw-loop/testkit";
import type { Size } from "../../src/components/line.ts";
import { textOfFile } from "../../src/effects/editor.ts";
import { performCall } from "../../src/effects/effects.ts";
import { folder } from "./place.ts";
import { looking, type Told } from "./recorded-loop.ts";

type Turns = AgentScriptInput["turns"];

export interface RealLoop {
  service: LoopService;
  cwd: string;
  /** Everything it recorded and showed up to now, in order. */
  seen: LiveEvent[];
}

interface Given {
  turns: Turns;
  spec?: Partial<NewLoop>;
  verifier?: Verifier;
  workspace?: (cwd: string) => Workspace;
}

/** A loop `cart` in a folder of its own, which is gone behind the test. */
export async function realLoop({ turns, spec, verifier, workspace }: Given, cwd = folder()) {
  const store = memoryStore();
  const files = (workspace ?? folderWorkspace)(cwd);
  const agent = scriptedAgent({ script: { turns }, pace: 0, home: join(cwd, ".workflow/agent") });
  const service = loopService({
    store,
    agent: async () => agent,
    verifier: verifier ?? passingVerifier(),
    workspace: async (of) => (of === cwd ? files : (workspace ?? folderWorkspace)(of)),
    cwd,
  });
  const settings = {
    mode: "auto" as const,
    flaky_reruns: 0,
    expect: "unchanged" as const,
    ...spec?.settings,
  };
  await service.create({ id: "cart", description: "Add a flag", ...spec, settings });
  const seen: LiveEvent[] = [];
  for await (const recorded of service.events("cart")) {
    seen.push({ kind: "recorded", id: "cart", recorded });
  }
  return { service, cwd, seen } satisfies RealLoop;
}

/** Drives it until it ends or waits. */
export function driven({ service, seen }: RealLoop) {
  return service.run("cart", { onEvent: (event) => seen.push(event) });
}

/** Does every call that the screens asked for since the last time, as the program does. */
export async function answered(told: Told, { service, cwd }: RealLoop): Promise<Told> {
  const calls = told.effects
    .splice(0)
    .flatMap((effect) => (effect.type === "call" ? effect.call : []));
  for (const call of calls) {
    const answer = await performCall(call, {
      service,
      examine: async () => [],
      edit: async (text) => text,
      read: (file) => textOfFile(cwd, file),
      copy: () => undefined,
      save: async (file) => file,
      drive: () => undefined,
    });
    told.tell({ type: "answered", answer });
  }
  return told;
}

/** Tells what the loop recorded since, as its follower does. */
export async function caughtUp(told: Told, { service }: RealLoop): Promise<Told> {
  const known = told.model.opened?.progress?.state.revision ?? 0;
  const events: LiveEvent[] = [];
  for await (const recorded of service.events("cart", known)) {
    events.push({ kind: "recorded", id: "cart", recorded });
  }
  return told.tell({ type: "happened", id: "cart", events, leftOut: 0 });
}

/** One task, done at once. */
export const PLAN: Turns = [
  {
    action: "INIT",
    when: "# ACTION: INIT",
    answer: { state_updates: { tasks: [{ description: "add the flag" }] } },
  },
  {
    action: "DEVELOP",
    when: "# ACTION: DEVELOP",
    steps: [{ write: { path: "flag.js", content: "1" } }],
    answer: { message: "done", state_updates: { summary: "wrote flag.js" } },
  },
];

/** Looks at a loop that was driven to its end in a project that has no tests. */
export async function waivedLoop(size: Size): Promise<Told> {
  const verifier = { ...passingVerifier(), detect: async () => null };
  const spec = { settings: { waive_tests: "a sketch" } };
  const loop = await realLoop({ turns: PLAN, verifier, spec });
  await driven(loop);
  return looking(loop.seen, size);
}
