import { decide, type LoopCommand, type LoopEvent, type LoopState } from "@ccw-loop/core";
import type { Size } from "../../src/components/line.ts";
import { openedState } from "../../src/model/model.ts";
import { waivedLoop } from "./real-loop.ts";
import { looking, type Recording, recording, type Told, whereState } from "./recorded-loop.ts";

interface StateOf {
  make: (size: Size) => Told | Promise<Told>;
  /** What the screen says of it. */
  says: readonly string[];
  keys: readonly string[];
  without: readonly string[];
}

/** A recorded loop as it first came to such a state. */
function once(name: Recording, wanted: (state: LoopState) => boolean) {
  return (size: Size) => {
    const events = recording(name);
    return looking(events, size, whereState(events, wanted));
  };
}

/** The same, and what is decided or happens then. */
function then(
  name: Recording,
  wanted: (state: LoopState) => boolean,
  ...more: (LoopCommand | ((state: LoopState) => LoopEvent))[]
) {
  return (size: Size) => {
    const told = once(name, wanted)(size);
    for (const one of more) {
      const state = openedState(told.model);
      if (!state) throw new Error("The loop is not shown.");
      const at = state.updated_at;
      const events = typeof one === "function" ? [one(state)] : decide(state, one, at);
      for (const event of events) told.record(event);
    }
    return told;
  };
}

const runs = (action: string) => (state: LoopState) => state.action?.name === action;
const ended = (status: LoopState["status"]) => (state: LoopState) => state.status === status;
const waits = (kind: string) => (state: LoopState) => state.waiting?.kind === kind;

/** Every state that a loop can be in, with what a person sees of it. */
export const STATES: Readonly<Record<string, StateOf>> = {
  created: {
    make: once("debugged", ended("created")),
    says: ["created", "○ INIT → ○ DEVELOP", "The tests have not been run.", "No tasks yet."],
    keys: ["s start", "x stop", "w why"],
    without: ["p pause", "i steer", "v receipt", "a answer", "r retry now"],
  },
  "in INIT": {
    make: once("debugged", runs("INIT")),
    says: ["running", "▸ INIT"],
    keys: ["p pause", "i steer", "x stop"],
    without: ["s start", "v receipt", "a answer"],
  },
  "in DEVELOP": {
    make: once("debugged", runs("DEVELOP")),
    says: ["✔ INIT → ▸ DEVELOP", "▸ Count the quantity", "DEVELOP  [1.5s]"],
    keys: ["p pause", "i steer", "x stop"],
    without: ["v receipt"],
  },
  "in VALIDATE": {
    make: once("debugged", runs("VALIDATE")),
    says: ["▸ VALIDATE", "✔ DEVELOP ×2"],
    keys: ["p pause", "x stop"],
    without: ["i steer"],
  },
  "in DEBUG, with its hypotheses": {
    make: once("debugged", (state) => (state.skill_state?.debug.hypotheses.length ?? 0) > 1),
    says: ["▸ DEBUG", "2 open of 2", "#1 pending", "3 passed, 2 failed", "Still owed: 2"],
    keys: ["p pause", "i steer", "v receipt"],
    without: ["a answer"],
  },
  "completed and proven": {
    make: once("debugged", ended("completed")),
    says: ["completed", "✔ COMPLETE", "proven: The project's own tests passed.", "Fixed: 4"],
    keys: ["v receipt", "T timeline", "t tasks"],
    without: ["p pause", "p reopen", "x stop", "s start", "i steer"],
  },
  "completed, with its tests waived": {
    make: waivedLoop,
    says: ["completed", "Tests were waived: a sketch"],
    keys: ["v receipt"],
    without: ["p pause"],
  },
  "failed at its limit": {
    make: once("out-of-iterations", ended("failed")),
    says: ["failed", "✖ COMPLETE", "max_iterations:"],
    keys: ["l limits", "v receipt", "p reopen"],
    without: ["p resume", "x stop"],
  },
  "failed at its limit, which was raised since": {
    make: then("out-of-iterations", ended("failed"), {
      type: "edit",
      changes: { max_iterations: 50 },
    }),
    says: ["failed"],
    keys: ["p reopen"],
    without: ["p pause"],
  },
  "at its menu": {
    make: once("menu", (state) => state.waiting?.menu === true),
    says: ["What next?", "1  Continue development", "6  Exit and save", "Develop: 0/2"],
    keys: ["enter choose", "1 Continue development", "esc look around"],
    without: [],
  },
  "waiting for a word on objections": {
    make: once("objections", (state) => state.waiting?.about === "objections"),
    says: ["Does it count as done?", "a skip was added", "accept: it counts as done", "reject"],
    keys: ["enter answer"],
    without: [],
  },
  "without progress": {
    make: once("no-progress", waits("no_progress")),
    says: ["No progress: what to do differently?", "Tried:", "your answer"],
    keys: ["enter answer"],
    without: [],
  },
  "waiting for an approval": {
    make: then("debugged", runs("DEVELOP"), () => ({
      type: "waiting.started",
      at: "2026-11-21T21:34:08.000Z",
      waiting: {
        kind: "approval",
        since: "2026-11-21T21:34:08.000Z",
        prompt: "May it run rm -rf build?",
        options: ["yes", "no"],
      },
    })),
    says: ["May it?", "May it run rm -rf build?", "yes", "no"],
    keys: ["enter answer"],
    without: [],
  },
  "waiting for a usage limit": {
    make: once("usage-limit", waits("usage_limit")),
    says: ["running, goes on in 59m 58s", "Waits for usage limit until", "‖ DEVELOP"],
    keys: ["r retry now", "p pause", "x stop"],
    without: ["a answer", "i steer"],
  },
  paused: {
    make: then("debugged", runs("DEVELOP"), { type: "pause" }),
    says: ["paused"],
    keys: ["p resume", "x stop"],
    without: ["p pause", "i steer", "s start", "r retry now"],
  },
  "paused at its menu": {
    make: then("menu", (state) => state.waiting?.menu === true, { type: "pause" }),
    says: ["paused, waits"],
    keys: ["p resume", "x stop"],
    without: ["r retry now", "a menu", "p pause"],
  },
  "stopped by its operator": {
    make: then("debugged", runs("DEVELOP"), { type: "stop", reason: "enough" }),
    says: ["   stopped", "stopped_by_user: enough"],
    keys: ["p reopen"],
    without: ["x stop", "p pause"],
  },
  "left from its menu": {
    make: then("menu", (state) => state.waiting?.menu === true, { type: "exit" }),
    says: ["exited"],
    keys: ["p resume"],
    without: ["x stop", "a menu"],
  },
  recovered: {
    make: then("debugged", runs("VALIDATE"), (state) => ({
      type: "loop.recovered",
      at: state.updated_at,
      state: { ...state, status: "paused" },
      unknown: ["limits"],
    })),
    says: ["paused", "✔ INIT"],
    keys: ["p resume"],
    without: ["p pause"],
  },
};
