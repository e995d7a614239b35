import { render } from "ink-testing-library";
import { createElement } from "react";
import { expect, onTestFinished, test, vi } from "vitest";
import { type FrameSource, Root } from "../src/app/ink.ts";

/** Rows that a test may change. */
function screenful(begin: readonly string[]) {
  let rows = begin;
  const listeners = new Set<() => void>();
  const pressed = vi.fn<FrameSource["pressed"]>();
  const of: FrameSource = {
    subscribe(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    rows: () => rows,
    pressed,
    pasted: vi.fn(),
  };
  const show = (next: readonly string[]) => {
    rows = next;
    for (const listener of listeners) listener();
  };
  return { of, show, pressed };
}

test("the rows are on the screen as they are, and change when they change", async () => {
  const { of, show } = screenful(["one", "", "  \x1B[31mthree\x1B[39m"]);
  const { lastFrame, unmount } = render(createElement(Root, { of }));
  onTestFinished(unmount);
  expect(lastFrame()).toBe("one\n\n  \x1B[31mthree\x1B[39m");
  show(["two"]);
  await vi.waitFor(() => expect(lastFrame()).toBe("two"));
});

test("a row that is too wide for the terminal never takes a second one", () => {
  const { of } = screenful(["x".repeat(300), "漢字".repeat(80), "end"]);
  const { lastFrame, unmount } = render(createElement(Root, { of }));
  onTestFinished(unmount);
  expect(lastFrame()?.split("\n")).toHaveLength(3);
});

test("keys go where they belong", async () => {
  const { of, pressed } = screenful(["one"]);
  const { stdin, unmount } = render(createElement(Root, { of }));
  onTestFinished(unmount);
  stdin.write("j");
  await vi.waitFor(() => expect(pressed).toHaveBeenCalledWith([{ key: "j", text: "j" }]));
});
