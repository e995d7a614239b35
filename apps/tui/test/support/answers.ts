import {
  LoopError,
  type LoopState,
  type Receipt,
  selectNextAction,
  type TimelineEntry,
} from "@ccw-loop/core";
import type { Answer, Call, Calls } from "../../src/model/effect.ts";
import { openedState } from "../../src/model/model.ts";
import type { Told } from "./recorded-loop.ts";

/** Answers everything that was asked for so far, or refuses it. */
export function answerAll(told: Told, ok: boolean): void {
  const effects = told.effects.splice(0);
  const state = openedState(told.model);
  for (const effect of effects) {
    if (effect.type !== "call") continue;
    const value = ok ? valueFor(effect.call, state) : undefined;
    const error = new LoopError("internal", "It could not be done, for the sake of this test.");
    const { name } = effect.call;
    const given = value === undefined ? { ok: false, error } : { ok: true, value };
    told.tell({ type: "answered", answer: { name, call: effect.call, ...given } as Answer });
  }
}

/** Undefined for what cannot be had without a loop. */
function valueFor(
  call: Call,
  state: LoopState | undefined,
): Calls[Call["name"]]["result"] | undefined {
  switch (call.name) {
    case "why":
      return state && { ...selectNextAction(state), driven_by: "cli:here:1", undriven_since: null };
    case "timeline":
      return [entry(0), entry(1)];
    case "diff":
      return {
        from: call.from,
        to: call.to,
        patch: "diff --git a/a.js b/a.js\n--- a/a.js\n+++ b/a.js\n@@ -1 +1 @@\n-one\n+two\n",
        files: [{ path: "a.js", kind: "modified", added: 1, removed: 1 }],
      };
    case "verify": {
      const receipt: Receipt | undefined = state?.receipts?.at(-1);
      return receipt && { receipt, result: "stands", problems: [], square: null };
    }
    case "doctor":
      return [{ check: "git", status: "note", message: "git 漢 is old.", next: "Update it." }];
    case "generate":
    case "import":
      return [];
    case "edit":
    case "read":
      return "several\nlines";
    case "save":
      return `/repo/${call.file}`;
    case "copy":
    case "delete":
    case "steer":
      return null;
    case "create":
    case "send":
    case "fork":
      return state;
    case "rewind":
      return state && { state, kept: null, left: [] };
  }
}

function entry(checkpoint: number): TimelineEntry {
  return {
    at: "2026-01-22T09:00:00.000Z",
    action: "DEVELOP",
    task_id: "task-1",
    outcome: "completed",
    checkpoint,
    diffstat: { files: 1, added: 3, removed: 1 },
    tests: null,
    tokens: 1200,
    active_ms: 4000,
    message: "Made it.",
    rewound: false,
  } as TimelineEntry;
}
