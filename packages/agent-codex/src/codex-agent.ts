import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Agent, type AgentCheck, type LoopError, toLoopError } from "@ccw-loop/core";
import { processes } from "@ccw-loop/processes";
import { openingErrorOf } from "./failure/failure.ts";
import { makeFolders } from "./launch/project-folders.ts";
import type { CodexOptions, PlacedOptions } from "./options.ts";
import { type LaunchPlan, prepare } from "./prepare.ts";
import { AppServer } from "./process/app-server.ts";
import { CodexSession } from "./session/codex-session.ts";
import { startAndInspect } from "./session/inspect.ts";
import { eventsOf } from "./turn/turn-events.ts";

/**
 * An agent on the real Codex: one `codex app-server` process and one thread per session. The user's Codex
 * settings and login are used and never written. What Codex does not do by itself is done here: limits on
 * silence and time, retries, resuming after a crash, answers to its questions, and an end of every process
 * that a turn started.
 */
export function codexAgent({
  processes: registry = processes(),
  ...given
}: CodexOptions = {}): Agent {
  const options = { ...given, processes: registry };
  return {
    driver: "codex",

    check: (cwd) => checkCodex(options, cwd),

    async open(wanted) {
      const { signal } = wanted;
      signal?.throwIfAborted();
      try {
        await registry.sweep();
        const { spec, protectedFolders } = await prepare(options, wanted);
        await makeFolders(spec.cwd, protectedFolders);
        signal?.throwIfAborted();
        return await CodexSession.open(spec, wanted);
      } catch (error) {
        signal?.throwIfAborted();
        throw error;
      }
    },
  };
}

/** Whether Codex can work in `cwd`: the program, its version, its settings, the login, the sandbox. */
async function checkCodex(options: PlacedOptions, cwd: string): Promise<AgentCheck> {
  try {
    const prepared = await prepare(options, { cwd, instructions: "" });
    const { problems, notes } = await tryOut(prepared);
    return {
      ok: problems.length === 0,
      version: prepared.version,
      problems,
      notes: [...notesOn(prepared), ...notes],
    };
  } catch (error) {
    return { ok: false, version: null, problems: [toLoopError(error)], notes: [] };
  }
}

/** Starts Codex, asks what it can, and ends it again. */
async function tryOut({ spec }: LaunchPlan): Promise<{ problems: LoopError[]; notes: string[] }> {
  const notes: string[] = [];
  // Nothing is put into the project, not even for a moment.
  const trialIn = await mkdtemp(join(tmpdir(), "ccw-loop-codex-"));
  const { server, sandboxSetup, problems } = await startAndInspect(
    spec,
    (args) =>
      new AppServer({
        ...{ ...spec, args },
        onNotification: (notification) => {
          for (const event of eventsOf(notification, { cwd: spec.cwd, streamed: new Set() })) {
            if (event.type === "warning.raised") notes.push(event.message);
          }
        },
        answer: async () => ({
          error: { code: -32601, message: "Requests are not answered during a check." },
        }),
      }),
    trialIn,
  );
  await server.close();
  await rm(trialIn, { recursive: true, force: true });
  const told = [...new Set([...notes, ...sandboxSetup.warnings])];
  return { problems: problems.map((failure) => openingErrorOf(failure, spec.login)), notes: told };
}

function notesOn({ binary, version, spec }: LaunchPlan): string[] {
  const notes = [`Codex ${version} was found by ${binary.source}: ${binary.path}.`];
  if (spec.sandbox !== "workspace-write") {
    const protects =
      spec.protect.length > 0 ? `, and ${spec.protect.join(", ")} can be written to` : "";
    notes.push(
      `Codex does not confine commands itself${protects}: its sandbox is set to ${spec.sandbox}.`,
    );
  }
  return notes;
}
