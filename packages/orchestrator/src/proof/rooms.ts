import { join } from "node:path";
import {
  type Checkout,
  type LoopState,
  type ProcessScope,
  roomTimeoutOf,
  type Verification,
  type Verifier,
  type VerifyPlan,
  type Workspace,
} from "@ccw-loop/core";
import type { ProjectFiles } from "../project-files.ts";
import { type RunContext, report, scopeOf } from "../run/context.ts";
import { type InstalledBefore, installAnew, withoutLockfile } from "./packages.ts";

/** The two checkpoints that the proof is about. */
export interface Ends {
  start: { commit: string; tree: string };
  present: { commit: string; tree: string };
}

/** What of the present is laid over the start. */
export interface Overlay {
  commit: string;
  paths: readonly string[];
  /** More files, by path, with their text: where a file of the start gets tests of the present. */
  texts?: ReadonlyMap<string, string>;
}

/** Clean rooms of one proof: fresh checkouts of its start, outside of the project. */
export interface Rooms {
  make(overlay: Overlay): Promise<Checkout>;
  /** Installed files that changed since the loop began, and that the last room is without: no lockfile describes them. */
  missing(): readonly string[];
}

/** What a square is measured with: by a loop that is driven, or by whoever checks its receipt later. */
export interface SquareDeps {
  workspace: Workspace;
  verifier: Verifier;
  files: ProjectFiles;
  /** For whom the test runs work. */
  scope?: ProcessScope | undefined;
  signal: AbortSignal;
  timeoutMs: number;
  onOutput: (text: string) => void;
  /** Called before every run; rejects where none may be made any more. */
  beforeRun: () => Promise<void>;
}

/** The place of a loop that is driven. */
export function placeOf(ctx: RunContext, state: LoopState, signal: AbortSignal): SquareDeps {
  const { verifier, files, verifyTimeoutMs } = ctx.deps;
  return {
    ...{ workspace: ctx.workspace, verifier, files, signal },
    timeoutMs: roomTimeoutOf(state, verifyTimeoutMs),
    scope: scopeOf(ctx),
    onOutput: (text) => report(ctx, "VALIDATE", { type: "verify.output", text }),
    async beforeRun() {
      if (!ctx.control.holdsLease()) await ctx.control.renewLease();
    },
  };
}

/**
 * Makes clean rooms for `use`, and takes them away behind it. `changed` are installed files that are not what they were when
 * the loop began.
 */
export function inCleanRooms<T>(
  place: Pick<SquareDeps, "workspace" | "files" | "verifier" | "scope" | "signal">,
  {
    start,
    installed,
    changed = [],
  }: {
    start: string;
    installed: string | undefined;
    changed?: readonly string[];
  },
  use: (rooms: Rooms) => Promise<T>,
): Promise<T> {
  const before: InstalledBefore = new Map();
  let [made, missing]: [number, readonly string[]] = [0, []];
  const roomsIn = (base: string): Rooms => ({
    async make({ commit, paths, texts }) {
      made += 1;
      const folder = join(base, `${made}`);
      const options = { overlay: { commit, paths }, installed };
      const top = join(folder, "work");
      const room = await place.workspace.checkout(start, top, options);
      missing = withoutLockfile(top, changed);
      if (changed.length > 0) {
        await installAnew(place, { top, keep: join(folder, "packages"), before }, changed);
      }
      for (const [path, text] of texts ?? []) {
        await place.files.write(join(room.cwd, path), new TextEncoder().encode(text));
      }
      return room;
    },
    missing: () => missing,
  });
  return place.files.inTemporary((base) => use(roomsIn(base)));
}

/** Runs the plan's tests in a room. */
export async function runInRoom(
  place: SquareDeps,
  { cwd, ...room }: Checkout,
  plan: VerifyPlan,
): Promise<Verification> {
  await place.beforeRun();
  return place.verifier.verify(plan, { cwd, room, ...runOptions(place) });
}

/** What every run and check of a place is given. */
export function runOptions({ signal, timeoutMs, scope, onOutput }: SquareDeps) {
  return { signal, timeoutMs, scope, onOutput };
}
