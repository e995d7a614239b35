import { widthOf } from "@ccw-loop/view";
import { describe, expect, test } from "vitest";
import { steady } from "../src/components/line.ts";
import { answerAll } from "./support/answers.ts";
import { home } from "./support/home.ts";
import { looking, recording } from "./support/recorded-loop.ts";
import { frameOf, seen } from "./support/seen.tsx";

/** Columns as tmux moves its cursor over them. */
test.each([
  ["👩‍👩‍👧", 2],
  ["👍🏽", 2],
  ["🇩🇪", 2],
  ["क्ष", 2],
  ["क्षि", 3],
  ["नमस्ते", 4],
  ["స్త్రీ", 3],
  ["ක්‍ෂ", 2],
  ["ਸ੍ਰੀ", 3],
  ["ഗ്രാമം", 5],
  ["தமிழ்", 4],
])("%s takes %i columns", (text, columns) => {
  expect(widthOf(steady(text))).toBe(columns);
  expect(steady(steady(text))).toBe(steady(text));
});

describe("what takes long", () => {
  test.each([
    ["a rewind", ["T", "R", "y"], /⠋ Rewinding to checkpoint 1 …/],
    ["a fork", ["T", "F", "y"], /⠋ Forking at checkpoint 1 …/],
    ["a check of the receipt", ["v", "c"], /⠋ Checking the receipt again …/],
  ])("%s is told with its time until it is over, and begun once", (_, keys, said) => {
    const told = looking(recording("debugged"), { columns: 80, rows: 24 });
    for (const key of keys.slice(0, 1)) answerAll(told.press(key), true);
    told.press(...keys.slice(1));
    expect(seen(told.model)).toMatch(said);
    told.tell({ type: "ticked", now: told.model.now + 4000 });
    expect(seen(told.model)).toMatch(/⠼ .* … 4\.0s/);
    const asked = told.effects.length;
    told.press(...keys.slice(1));
    expect(told.effects).toHaveLength(asked);
    told.press("esc");
    answerAll(told, true);
    expect(seen(told.model)).not.toMatch(/[⠋-⠿] /);
    expect(told.model.pending).toEqual([]);
  });
});

test("clocks stand still while nothing is heard of the loops", () => {
  const told = home();
  const age = () => /Serve it .* (\d+\w)$/m.exec(seen(told.model))?.[1];
  const before = age();
  const since = told.model.now;
  told.tell({ type: "linked", link: { state: "lost", since, reason: "Nobody answers." } });
  told.tell({ type: "ticked", now: since + 600_000 });
  expect(age()).toBe(before);
  expect(frameOf(told.model)[0]).toContain("not connected for 10m");
  told.tell({ type: "linked", link: { state: "live" } });
  expect(age()).not.toBe(before);
});
