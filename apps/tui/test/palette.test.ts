import { expect, test } from "vitest";
import { topScreen } from "../src/model/model.ts";
import { home, LARGE } from "./support/home.ts";
import { heard, seen } from "./support/seen.tsx";

test("every action of the screen below is there by its name, and enter does it", () => {
  const told = home().press(":");
  expect(seen(told.model)).toMatch(/╭ Actions[\s\S]*enter +open[\s\S]*n +new/);
  expect(heard(told.model)).toContain("- ");
  told.type("doc");
  expect(seen(told.model)).not.toMatch(/│ n +new/);
  told.press("enter");
  expect(told.model.stack.map(({ kind }) => kind)).toEqual(["home", "doctor"]);
});

test("the one that is selected is done, on the screen below", () => {
  const told = home().press(":").type("s").press("down", "up", "down");
  const top = topScreen(told.model);
  expect(top).toMatchObject({ kind: "palette", selected: 1 });
  told.press("esc");
  expect(topScreen(told.model).kind).toBe("home");
});

test("an unknown name does nothing", () => {
  const told = home().press(":").type("zzz");
  expect(seen(told.model)).toContain("No action here has such a name.");
  expect(told.press("enter").effects).toEqual([]);
});

test("a key that does nothing now is dimmed, and says so", () => {
  const told = home(LARGE).press("G");
  expect(seen(told.model)).toContain(" p pause ");
  expect(told.press("p").effects).toEqual([]);
  expect(told.model.notice?.text).toBe("There is nothing to pause now.");
});
