import { LoopError } from "@ccw-loop/core";
import { attemptsOf, type TriedAttempt, tryContainment } from "@ccw-loop/processes/containment";
import type { AcpOptions } from "../options.ts";
import type { Profile } from "./profiles.ts";
import { type SandboxedLaunch, UNCONTAINED } from "./sandbox.ts";

/**
 * What confines the agent, as sentences; where it is contained, after that was tried. Throws `sandbox_unavailable` for a
 * containment that does not hold.
 */
export async function sandboxNote(
  { profile, sandbox }: AcpOptions,
  { contained, warning, file }: SandboxedLaunch,
): Promise<string> {
  const { title } = profile;
  if (sandbox?.kind === "container") {
    return `${title} is started by ${file}, as you chose: nothing else confines it, and processes that it leaves in a container are not seen from here.`;
  }
  if (contained === null) {
    const why = warning ?? `${title} is not contained, as you wanted it. ${UNCONTAINED}`;
    return `${why} ${keptBy(profile)}`;
  }
  const { bubblewrap, containment } = contained;
  const tried = await tryContainment(bubblewrap, containment, attemptsOf(containment));
  const wrong = tried.filter(({ allowed, succeeded }) => allowed !== succeeded);
  if (wrong.length > 0) {
    const message = `The containment of ${title} does not hold: ${told(wrong)}. Let it work without: --sandbox off`;
    throw new LoopError("sandbox_unavailable", message, { details: { tried: wrong } });
  }
  return `${title} is contained by bubblewrap, which was tried: ${told(tried)}.`;
}

/** What is left to keep an agent's commands in the project where it is not contained. */
function keptBy({ mode, ownSandbox }: Profile): string {
  const named = mode === null ? "" : ` in its mode ${mode.split("#").at(-1)}`;
  return ownSandbox
    ? `Its own sandbox${named} keeps its commands in the project; it does not ask about them.`
    : `Nothing but its own questions${named} keeps its commands in the project: what it does not ask is not confined.`;
}

const VERBS = { write: "write to", read: "read", signal: "send a signal to process" } as const;

/** What was tried, each outcome of a kind in one clause. */
function told(tried: readonly TriedAttempt[]): string {
  const clauses = Map.groupBy(
    tried,
    ({ what, succeeded }) => `it ${succeeded ? "could" : "could not"} ${VERBS[what]}`,
  );
  return [...clauses]
    .map(([clause, of]) => `${clause} ${of.map(({ target }) => target).join(", ")}`)
    .join("; ");
}
