import type { Agent } from "@ccw-loop/core";
import { processes } from "@ccw-loop/processes";
import { checkCodex } from "./check.ts";
import { makeFolders } from "./launch/protected-folders.ts";
import type { CodexOptions } from "./options.ts";
import { prepare } from "./prepare.ts";
import { CodexSession } from "./session/codex-session.ts";

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
