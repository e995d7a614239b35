import {
  type Driver,
  type LoopState,
  openObjections,
  type Selection,
  statusText,
} from "@ccw-loop/core";
import type { NamedRow } from "../text/rows.ts";
import { driverText } from "./driver.ts";
import { countdown } from "./facts.ts";
import { few, objectionText } from "./proof.ts";

/** What a loop would do next, in a heading and its reason. */
export function nextText({ action, reason }: Selection): [string, string] {
  return [action === null ? "Nothing is next:" : `Next is ${action}:`, reason];
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
    ...guards.map(
      ({ name, value }): NamedRow => [
        name,
        [name === "status" ? statusText(state) : String(value ?? "none")],
      ],
    ),
    ["Goes on", left ? [left] : []],
    ["Objections", few(openObjections(state).map(objectionText), 20)],
  ];
}
