import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Checkout, VerifyPlan } from "@ccw-loop/core";
import { type RunContext, report, scopeOf } from "../run/context.ts";
import { type InstalledBefore, installAnew, undescribed } from "./packages.ts";

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

/** Clean rooms of one loop: fresh checkouts of its start, outside of the project, gone with `close`. */
export interface Rooms {
  make(overlay: Overlay): Promise<Checkout>;
  /** Installed files that changed since the loop began, and that the last room is without: no lockfile describes them. */
  missing(): readonly string[];
  close(): Promise<void>;
}

/**
 * `outside` are paths that are those of the present in every room, `changed` installed files that are not what they were
 * when the loop began.
 */
export function cleanRooms(
  ctx: RunContext,
  {
    start,
    installed,
    outside,
    changed,
    signal,
  }: {
    start: string;
    installed: string | undefined;
    outside: readonly string[];
    changed: readonly string[];
    signal: AbortSignal;
  },
): Rooms {
  const made: string[] = [];
  const before: InstalledBefore = new Map();
  let missing: readonly string[] = [];
  return {
    async make({ commit, paths, texts }) {
      const folder = await mkdtemp(join(tmpdir(), "ccw-room-"));
      made.push(folder);
      const options = { overlay: { commit, paths: [...paths, ...outside] }, installed };
      const top = join(folder, "work");
      const room = await ctx.workspace.checkout(start, top, options);
      missing = undescribed(top, changed);
      if (changed.length > 0) {
        await installAnew(ctx, { top, keep: join(folder, "packages"), before }, changed, signal);
      }
      for (const [path, text] of texts ?? []) {
        await ctx.deps.files.write(join(room.cwd, path), new TextEncoder().encode(text));
      }
      return room;
    },
    missing: () => missing,
    async close() {
      const gone = made.map((folder) =>
        rm(folder, { recursive: true, force: true, maxRetries: 5 }),
      );
      await Promise.all(gone);
    },
  };
}

/** Runs the plan's tests in a room. */
export async function runInRoom(
  ctx: RunContext,
  { cwd, ...room }: Checkout,
  { plan, signal }: { plan: VerifyPlan; signal: AbortSignal },
) {
  if (!ctx.control.holdsLease()) await ctx.control.renewLease();
  return ctx.deps.verifier.verify(plan, {
    cwd,
    room,
    signal,
    timeoutMs: ctx.deps.verifyTimeoutMs,
    scope: scopeOf(ctx),
    onOutput: (text) => report(ctx, "VALIDATE", { type: "verify.output", text }),
  });
}
