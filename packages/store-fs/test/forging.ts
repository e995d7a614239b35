/** What somebody writes who wants a loop to be done, with sums and etags that fit: anybody can compute them. */
import { renameSync, writeFileSync } from "node:fs";
import { type LoopState, outcomeOf, Receipt } from "@ccw-loop/core";
import { expect } from "vitest";
import { digestOf } from "../src/commit/etag.ts";
import { AT } from "./loops.ts";

export type Document = Record<string, unknown>;

const RECEIPT = Receipt.parse({
  id: "receipt-001",
  iteration: 1,
  command: "npm test",
  cwd: "/project",
  started_at: AT,
  duration_ms: 5,
  exit_code: 0,
  report: "junit",
  counts: { total: 2, passed: 2, failed: 0, skipped: 0 },
  passed: true,
  reason: "2 of 2 tests passed.",
  tree_before: "tree",
  tree_after: "tree",
});

/** All that a loop needs to count as proven. */
export function proven(document: Document): Document {
  const skill = Object(structuredClone(document.skill_state));
  for (const task of skill.develop.tasks) Object.assign(task, { status: "completed" });
  skill.develop.completed = skill.develop.tasks.length;
  Object.assign(skill.validate, {
    ...{ passed: true, stale: false, pass_rate: 100, coverage: 100, last_run_at: AT },
    test_results: [{ test_name: "forged", status: "passed" }],
    runs: [
      { iteration: 1, at: AT, passed: true, reason: "", command: "", total: 1, passed_count: 1 },
    ],
  });
  skill.debug.hypotheses = [
    { id: "H1", description: "forged", status: "confirmed", evidence: { seen: true } },
  ];
  skill.debug.confirmed_hypothesis = "H1";
  return {
    ...document,
    status: "completed",
    completed_at: AT,
    outcome: { code: "proven", message: "The project's own tests passed." },
    receipts: [RECEIPT],
    baseline: {
      ...{ at: AT, tree: "tree", command: "npm test", reason: "" },
      counts: RECEIPT.counts,
    },
    checkpoints: [{ n: 0, at: AT, action: null, commit: "c", tree: "tree" }],
    accepted: ["nothing_changed"],
    settings: { waive_tests: "because", known_red: ["*"], verify: "true" },
    waiting: undefined,
    skill_state: skill,
  };
}

/** The text with the etag that fits. */
export function sealed({ etag: _, ...document }: Document): string {
  const rest = JSON.parse(JSON.stringify(document));
  return JSON.stringify({ ...rest, etag: digestOf(JSON.stringify(rest)) }, null, 2);
}

export function put(path: string, text: string): void {
  writeFileSync(`${path}.mine`, text);
  renameSync(`${path}.mine`, path);
}

/** Nothing that only a run can know, and no way to the end but by one. */
export function expectUnproven(state: LoopState): void {
  expect(state.status).not.toBe("completed");
  for (const field of ["receipts", "baseline", "checkpoints", "accepted", "outcome"]) {
    expect(state, field).not.toHaveProperty(field);
  }
  expect(state.settings?.waive_tests).toBeUndefined();
  expect(state.settings?.known_red).toBeUndefined();
  expect(state.settings?.verify).toBeUndefined();
  const { validate, debug } = state.skill_state ?? {};
  expect(validate?.stale ?? true).toBe(true);
  expect(validate?.passed ?? false).toBe(false);
  expect(validate?.test_results ?? []).toEqual([]);
  expect(validate?.runs ?? []).toEqual([]);
  expect(debug?.confirmed_hypothesis ?? null).toBeNull();
  for (const idea of debug?.hypotheses ?? []) {
    expect(idea).toMatchObject({ status: "pending", evidence: null });
  }
  expect(outcomeOf(state).status).toBe("failed");
}
