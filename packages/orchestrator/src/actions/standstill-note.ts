import { type LoopState, stallLevelOf } from "@ccw-loop/core";

/** What a prompt says when nothing came of the last iterations, and what a person said to that; else empty. */
export function stallNote(state: LoopState): string {
  const { guidance, tried = [] } = state.stall ?? {};
  const said = guidance === undefined ? [] : [`A person says how to go on: ${guidance}`];
  const { level, stalled } = stallLevelOf(state);
  if (level === "none") return said.map((line) => `${line}\n`).join("");
  return [
    ...said,
    `The last ${stalled} iterations brought no progress. What was tried:`,
    ...tried.map(({ action, text }) => `- ${action}: ${text}`),
    "More of the same will not help. Step back, doubt what you took for granted, and take a different approach.",
    "",
  ].join("\n");
}
