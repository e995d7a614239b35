import { render } from "ink-testing-library";
import { createElement } from "react";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Keyboard, Root } from "../src/app/ink.ts";

/** A terminal that shows these rows. */
function screenful(rows: readonly string[]) {
  const keyboard = { pressed: vi.fn<Keyboard["pressed"]>(), pasted: vi.fn() };
  const frame = (of: readonly string[]) => createElement(Root, { rows: of, ...keyboard });
  const { rerender, unmount, ...terminal } = render(frame(rows));
  onTestFinished(unmount);
  const show = (next: readonly string[]) => rerender(frame(next));
  return { ...terminal, ...keyboard, show };
}

test("the rows are on the screen as they are, and change when they change", async () => {
  const { lastFrame, show } = screenful(["one", "", "  \x1B[31mthree\x1B[39m"]);
  expect(lastFrame()).toBe("one\n\n  \x1B[31mthree\x1B[39m");
  show(["two"]);
  await vi.waitFor(() => expect(lastFrame()).toBe("two"));
});

test("a row that is too wide for the terminal never takes a second one", () => {
  const { lastFrame } = screenful(["x".repeat(300), "漢字".repeat(80), "end"]);
  expect(lastFrame()?.split("\n")).toHaveLength(3);
});

test("keys go where they belong", async () => {
  const { stdin, pressed } = screenful(["one"]);
  stdin.write("j");
  await vi.waitFor(() => expect(pressed).toHaveBeenCalledWith([{ key: "j", text: "j" }]));
});
