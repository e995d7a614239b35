import { unmetNeeds } from "../../../support/runs.ts";

/**
 * What a run of many seeds must have gone through, or it proves nothing: each at least once in so many seeds. Most of
 * them are made to happen (actors/scenes.ts), each by one seed in `SCENES`.
 */
export const EVENTS = {
  "kill in the middle of a commit": 40,
  "kill of a writer whose commit has its number": 40,
  "kill of an owner while something works for it": 40,
  "power cut": 20,
  "power cut that takes a commit": 40,
  "repeated op id": 40,
  "power cut behind a repeated op id": 40,
  "old revision let go of": 40,
  "power cut behind an old revision let go of": 40,
  "owner that wakes when its lease is another's": 40,
  "owner suspended before a turn that another begins": 40,
  "commit refused as fenced": 40,
  "commit refused for its revision": 40,
  "foreign edit in the moment of a publication": 40,
  "foreign edit taken in": 40,
  "edit of the project behind a passing run": 40,
  "stop while something works": 40,
  "SIGTERM while something works": 40,
  "disk error in the middle of a commit": 40,
  "jump of the clock while a lease is held": 40,
  "agent that dies": 40,
  "agent that hangs": 40,
  "usage limit": 40,
  "command of a task": 40,
  "bound of iterations reached": 40,
  "bound of turns reached": 40,
  "loop completed": 20,
} as const;

export type SimEvent = keyof typeof EVENTS;

/** How often each happened. */
export type Tally = Partial<Record<SimEvent, number>>;

export function addTo(total: Tally, part: Tally): void {
  for (const event of Object.keys(part) as SimEvent[]) {
    total[event] = (total[event] ?? 0) + (part[event] ?? 0);
  }
}

/** Why a run of so many seeds does not count, a sentence for each event that happened too seldom. */
export function missing(tally: Tally, seeds: number): string[] {
  const events = Object.entries(EVENTS) as [SimEvent, number][];
  const needs = events.map(([what, onceIn]) => ({ what, count: tally[what] ?? 0, onceIn }));
  return unmetNeeds(needs, seeds, "seeds");
}
