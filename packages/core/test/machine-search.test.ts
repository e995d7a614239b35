import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  hasPassed,
  isProven,
  isUnsettled,
  type LoopState,
  objectionsTo,
  selectNextAction,
} from "../src/index.ts";
import { explore, type Graph, keyOf, wholeKeyOf } from "./machine-search.ts";

let graph: Graph;

beforeAll(() => {
  graph = explore(4);
  console.log(`machine search: ${graph.states.size} states, ${graph.transitions} transitions`);
}, 300_000);

// A hundred megabytes, which the files after this one would carry along in the same process.
afterAll(() => {
  graph.states.clear();
  graph.edges.clear();
});

function out(key: string) {
  return graph.edges.get(key) ?? [];
}

/** The first states that break a rule; an `expect` for each of all states would take longer than the search. */
function breaking(rule: (state: LoopState, key: string) => boolean): string[] {
  const broken: string[] = [];
  for (const [key, state] of graph.states) {
    if (!rule(state, key) && broken.push(key) === 3) break;
  }
  return broken;
}

/** The states behind a path of labels, from the start; the machine may branch. */
function follow(...labels: string[]): string[] {
  let keys = [graph.root];
  for (const label of labels) {
    keys = keys.flatMap((key) => out(key).flatMap((e) => (e.label === label ? [e.to] : [])));
  }
  return [...new Set(keys)];
}

describe("the documented sequences", () => {
  const PASS = "VALIDATE(pass)";
  test.each([
    ["happy", ["INIT(auto 2)", "DEVELOP", "DEVELOP", PASS, "COMPLETE"]],
    ["debug", ["INIT(auto 1)", "DEVELOP", "VALIDATE(fail)", "DEBUG(repaired)", PASS, "COMPLETE"]],
    [
      "interactive",
      [
        "INIT(interactive 1)",
        "MENU(DEVELOP)",
        "DEVELOP",
        "MENU(VALIDATE)",
        PASS,
        "MENU(COMPLETE)",
        "COMPLETE",
      ],
    ],
  ])("%s", (_, labels) => {
    const ends = follow("start", ...labels).map((key) => graph.states.get(key));
    expect(ends.length).toBeGreaterThan(0);
    for (const end of ends) {
      expect(end).toMatchObject({ status: "completed", outcome: { code: "proven" } });
    }
  });

  test("debug with a fix task", () => {
    const labels = ["INIT(auto 1)", "DEVELOP", "VALIDATE(fail)", "DEBUG(confirmed)", "DEVELOP"];
    const keys = follow("start", ...labels);
    expect(keys.length).toBeGreaterThan(0);
    for (const key of keys) {
      const state = graph.states.get(key);
      expect(state && selectNextAction(state).reason).toMatch(/limit|changed/);
    }
  });
});

test("objections wait for a person, who accepts them or has them put right", () => {
  const asked = follow("start", "INIT(auto 1)", "DEVELOP", "VALIDATE(objected)", "COMPLETE(asks)");
  expect(asked.length).toBeGreaterThan(0);
  for (const key of asked) {
    const labels = out(key).map((edge) => edge.label);
    expect(labels).not.toContain("COMPLETE");
    expect(out(key).filter((edge) => edge.label === "answer")).toHaveLength(2);
  }
  const accepted = follow(
    ...["start", "INIT(auto 1)", "DEVELOP", "VALIDATE(objected)", "COMPLETE(asks)"],
    ...["answer", "COMPLETE"],
  ).map((key) => graph.states.get(key));
  expect(accepted.map((state) => state?.status)).toContain("completed");
});

test("completed with a cause that its probe did not settle only by the word of a person, or a waiver", () => {
  const isOpen = (state: LoopState) => state.skill_state?.debug.hypotheses.some(isUnsettled);
  const passed = [...graph.states.values()].filter((state) => isOpen(state) && hasPassed(state));
  expect(passed.length).toBeGreaterThan(0);
  const broken = breaking((state) => {
    if (state.status !== "completed" || !isOpen(state)) return true;
    return state.accepted?.includes("cause:H1") === true || state.outcome?.code === "waived";
  });
  expect(broken).toEqual([]);
});

test("completed only behind a passing receipt of the present state, or a recorded waiver", () => {
  let completed = 0;
  const broken = breaking((state) => {
    if (state.status !== "completed") return true;
    completed++;
    const receipt = state.receipts?.at(-1);
    const objected = objectionsTo(state).length > 0;
    const code = receipt?.waived ? "waived" : objected ? "accepted" : "proven";
    if (code === "proven" && receipt?.square === undefined) return false;
    const done = state.skill_state?.develop.tasks.every((t) => t.status === "completed");
    if (!receipt?.passed || state.skill_state?.validate.stale !== false) return false;
    return isProven(state) && state.outcome?.code === code && done === true;
  });
  expect(broken).toEqual([]);
  expect(completed).toBeGreaterThan(0);
});

test("no state is stuck: a running loop has a next action, a resting one a command that moves it", () => {
  const broken = breaking((state, key) => {
    if (state.status === "completed" || state.status === "failed") return true;
    const by = state.status === "running" && !state.waiting ? "system" : "operator";
    return out(key).some((edge) => edge.by === by);
  });
  expect(broken).toEqual([]);
});

test("without progress a cause comes before the next repair, and then a person is asked, who can go on", () => {
  const selections = [...graph.states.values()].map(selectNextAction);
  expect(selections.some(({ action, rule }) => action === "DEBUG" && rule === 4)).toBe(true);
  let asked = 0;
  for (const [key, state] of graph.states) {
    if (state.waiting?.kind !== "no_progress" || state.status !== "running") continue;
    asked += 1;
    expect(state.stall?.stalled).toBeGreaterThanOrEqual(3);
    const answered = out(key)
      .filter(({ label }) => label === "answer")
      .map(({ to }) => to);
    expect(answered.length).toBeGreaterThan(0);
    for (const to of answered) expect(out(to).some(({ by }) => by === "system")).toBe(true);
  }
  expect(asked).toBeGreaterThan(0);
});

test("every ended loop names its cause", () => {
  const causes = new Set<string>();
  const broken = breaking((state) => {
    const ended = state.status === "failed" || state.status === "completed";
    if (state.outcome) causes.add(state.outcome.code);
    return (state.outcome !== undefined) === ended && (state.completed_at !== undefined) === ended;
  });
  expect(broken).toEqual([]);
  expect([...causes].sort()).toEqual([
    "accepted",
    "consecutive_failures",
    "max_iterations",
    "proven",
    "stopped_by_user",
    "waived",
  ]);
});

test("every path ends: without an operator or the world, no state comes back", () => {
  const mark = new Map<string, "open" | "closed">();
  const stack: { key: string; next: number }[] = [];
  const back: string[] = [];
  for (const root of graph.states.keys()) {
    if (mark.has(root)) continue;
    mark.set(root, "open");
    stack.push({ key: root, next: 0 });
    while (stack.length > 0) {
      const top = stack[stack.length - 1];
      if (!top) break;
      const edge = out(top.key)[top.next++];
      if (!edge) {
        mark.set(top.key, "closed");
        stack.pop();
        continue;
      }
      if (edge.by !== "system") continue;
      if (mark.get(edge.to) === "open") back.push(`${edge.label} leads back to ${edge.to}`);
      if (mark.has(edge.to)) continue;
      mark.set(edge.to, "open");
      stack.push({ key: edge.to, next: 0 });
    }
  }
  expect(mark.size).toBe(graph.states.size);
  expect(back.slice(0, 3)).toEqual([]);
});

test("states of one key behave the same, whatever the key leaves out", () => {
  const whole = explore(2, wholeKeyOf);
  expect(whole.states.size).toBeGreaterThan(5000);
  const short = new Map([...whole.states].map(([key, state]) => [key, keyOf(state)]));
  const seen = new Map<string, string>();
  const different: string[] = [];
  for (const [key, state] of whole.states) {
    const next = (whole.edges.get(key) ?? []).map(({ label, by, to }) => [
      label,
      by,
      short.get(to),
    ]);
    const { action, rule, asks } = selectNextAction(state);
    const passed = hasPassed(state) && [isProven(state), objectionsTo(state).length > 0];
    const does = JSON.stringify([action, rule, asks, state.outcome?.code, passed, next]);
    const name = keyOf(state);
    if ((seen.get(name) ?? does) !== does) different.push(name);
    seen.set(name, does);
  }
  expect(different.slice(0, 3)).toEqual([]);
  expect(seen.size).toBeLessThan(whole.states.size / 2);
});

test("an iteration limit is never exceeded", () => {
  expect(breaking((state) => state.current_iteration <= state.max_iterations)).toEqual([]);
});
