import { LoopState } from "@ccw-loop/core";
import { expect, test } from "vitest";
import { homeCommands } from "../src/index.ts";

const at = "2026-01-22T10:00:00.000Z";
const url = "https://git.example/shop.git";

function loopThat(more: Record<string, unknown>): LoopState {
  const loop = { loop_id: "a", title: "A", status: "completed", created_at: at, updated_at: at };
  return LoopState.parse({ ...loop, workspace: { path: "/w", branch: "ccw-loop/a" }, ...more });
}

test("the work of a loop that brought its repository is fetched from its git server", () => {
  const clone = { settings: { repository: { url } } };
  expect(homeCommands(loopThat(clone))).toEqual([`git fetch ${url} ccw-loop/a`]);
  expect(homeCommands(loopThat({}))).toEqual(["git merge ccw-loop/a", "ccw-loop clean"]);
  expect(homeCommands(loopThat({ ...clone, status: "paused" }))).toEqual([]);
  expect(homeCommands(loopThat({ workspace: undefined }))).toEqual([]);
});
