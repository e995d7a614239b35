import {
  type Driver,
  type LoopState,
  openObjections,
  type Selection,
  statusText,
} from "@ccw-loop/core";
import { timeSince } from "../text/amounts.ts";
import type { NamedRow } from "../text/table.ts";
import { countdown } from "./log.ts";
import { driverText } from "./next-commands.ts";
import { firstLines, objectionText } from "./proof.ts";

/** What a loop would do next, in a heading and its reason. */
export function nextText({ action, reason }: Selection): [string, string] {
  return [action === null ? "Nothing is next:" : `Next is ${action}:`, reason];
}

/** What is being done right now, and since when. */
function nowText({ status, action }: LoopState, now: Date): string[] {
  if (status !== "running" || !action || action.interrupted !== null) return [];
  const what = action.name === "VALIDATE" ? "VALIDATE: the tests are run" : action.name;
  return [`${what}, since ${action.started_at} (${timeSince(action.started_at, now)})`];
}

/** The rule that chose it, and everything that the rule looked at. */
export function whyRows(
  { rule, guards, ...driver }: Selection & Driver,
  state: LoopState,
  now: Date,
): NamedRow[] {
  const left = state.status === "running" && state.waiting && countdown(state.waiting, now);
  return [
    ["Rule", [String(rule)]],
    ["Driven by", [driverText(driver, now)]],
    ["Needs", needsText(state, driver)],
    ["Works", clonePlace(state)],
    ...guards.map(
      ({ name, value }): NamedRow => [
        name,
        [name === "status" ? statusText(state) : String(value ?? "none")],
      ],
    ),
    ["Now", nowText(state, now)],
    ["Goes on", left ? [left] : []],
    ["Objections", firstLines(openObjections(state).map(objectionText), 20)],
  ];
}

/** Labels that the next worker has to have; told where nobody drives a loop that is to be driven. */
function needsText({ settings }: LoopState, { undriven_since }: Driver): string[] {
  const { needs = [] } = settings ?? {};
  if (needs.length === 0 || undriven_since === null) return [];
  return [`a worker with the labels ${needs.join(", ")}`];
}

/** On which machine its files are, for a loop that brings its repository. */
function clonePlace({ settings, workspace }: LoopState): string[] {
  const { machine, path } = workspace ?? {};
  return settings?.repository && machine !== undefined ? [`on ${machine}, in ${path}`] : [];
}
