import { expect, test } from "vitest";
import { redTestsOf, type Settings, SkillState } from "../src/index.ts";
import { loopWith } from "./verification.ts";

const TESTS = {
  "cart.test.js > adds": "passed",
  "cart.test.js > discounts": "failed",
  "mail.test.js > sends": "failed",
} as const;
const RED = ["cart.test.js > discounts", "mail.test.js > sends"];

function debts(description: string, settings: Settings = {}, set_aside?: string[]) {
  const state = { ...loopWith(TESTS, settings), title: description, description };
  const skill_state = { ...SkillState.parse({}), set_aside };
  return redTestsOf(set_aside ? { ...state, skill_state } : state);
}

test.each([
  "Fix the failing tests",
  "Implement user authentication",
  "Resolve the discount issue",
  "Make the suite succeed",
  "修复购物车",
  "Исправь корзину",
  "Repariere den Warenkorb",
  "",
])("red is red, whatever the task says: %s", (task) => {
  expect(debts(task)).toEqual({ owed: RED, known_red: [], set_aside: [] });
});

test("the operator narrows it, by a part of the name or by wildcards", () => {
  const [cart = "", mail = ""] = RED;
  expect(debts("x", { known_red: ["mail.test"] })).toMatchObject({
    owed: [cart],
    known_red: [mail],
  });
  expect(debts("x", { known_red: ["*sends"] })).toMatchObject({ owed: [cart], known_red: [mail] });
  expect(debts("x", { targets: ["discounts"] })).toMatchObject({ owed: [cart], known_red: [mail] });
  expect(debts("x", { known_red: ["*"] })).toMatchObject({ owed: [], known_red: RED });
});

test("what a plan sets aside is owed all the same", () => {
  expect(debts("x", {}, ["mail.test"])).toEqual({ owed: RED, known_red: [], set_aside: [RED[1]] });
});
