import { type LoopState, summaryOf } from "@ccw-loop/core";
import { expect, test } from "vitest";
import { topScreen } from "../src/model/model.ts";
import { listed } from "./support/listed.ts";
import { looking, recording, Told } from "./support/recorded-loop.ts";
import { made } from "./support/some-loops.ts";

const SIZE = { columns: 80, rows: 24 };
const home = () => new Told(SIZE);

test("a key does what the screen on top has bound it to", () => {
  expect(topScreen(home().press("n").model).kind).toBe("create");
});

test("a key that no screen wants may have a meaning everywhere", () => {
  expect(topScreen(home().press("?").model)).toMatchObject({ kind: "help", of: "home" });
});

test("a field takes what types, also what means something elsewhere", () => {
  const told = home().press("n").type("Why? q");
  expect(topScreen(told.model)).toMatchObject({
    kind: "create",
    agents: null,
    fields: { task: { text: "Why? q" } },
  });
});

test("a paste goes into a field in one piece, and does nothing where there is none", () => {
  const paste = { type: "pasted", text: "q\nx" } as const;
  expect(topScreen(home().press("n").tell(paste).model)).toMatchObject({
    fields: { task: { text: "q\nx" } },
  });
  const before = home();
  const after = home().tell(paste);
  expect(after.model.stack).toEqual(before.model.stack);
  expect(after.effects).toEqual([]);
});

test("who pastes more than a field takes is told that the end is left out", () => {
  const told = home()
    .press("n")
    .tell({ type: "pasted", text: `${"x".repeat(20_000)}END` });
  expect(told.model.notice?.text).toContain("left out");
  expect(home().press("n").tell({ type: "pasted", text: "short" }).model.notice).toBeNull();
});

test("Ctrl-C leaves when nothing is driven here", () => {
  expect(home().press("ctrl+c").effects).toEqual([{ type: "quit", driven: "release" }]);
});

test("Ctrl-C asks while something is driven here, and the second one leaves", () => {
  const told = home()
    .tell({ type: "driving", ids: ["a"] })
    .press("ctrl+c");
  expect(topScreen(told.model).kind).toBe("quit");
  expect(told.effects).toEqual([]);
  expect(told.press("ctrl+c").effects).toEqual([{ type: "quit", driven: "release" }]);
});

test("configured keys stand in for the usual ones, everywhere", () => {
  const told = home();
  told.model = { ...told.model, keys: { "app.help": ["h"], "home.new": ["c"] } };
  expect(told.press("?", "n").model.stack).toHaveLength(1);
  expect(topScreen(told.press("h").model).kind).toBe("help");
  expect(topScreen(told.press("esc", "c").model).kind).toBe("create");
});

test("a notice goes with the next key", () => {
  const told = home().tell({ type: "told", notice: { tone: "good", text: "Done." } });
  expect(told.model.notice?.text).toBe("Done.");
  expect(told.tell({ type: "ticked", now: 1 }).model.notice?.text).toBe("Done.");
  expect(told.press("down").model.notice).toBeNull();
});

test("pages of the list add up; a whole reading forgets what is gone", async () => {
  const [a, b, c] = [await made({ id: "a" }), await made({ id: "b" }), await made({ id: "c" })];
  const told = home()
    .tell(listed([a, b], { total: 3, complete: false }))
    .tell(listed([c], { total: 3 }));
  expect([...told.model.loops.rows.keys()]).toEqual(["a", "b", "c"]);
  expect(told.model.loops).toMatchObject({ total: 3, complete: true });
  told.tell(listed([a], { ids: new Set(["a"]) }));
  expect([...told.model.loops.rows.keys()]).toEqual(["a"]);
  expect(told.model.loops.total).toBe(1);
});

test("a page that was read before a change does not take the change back", async () => {
  const old = await made({ id: "a" });
  const renewed = { ...old, revision: 9, title: "Renewed" };
  const told = home()
    .tell({ type: "changed", changes: [{ id: "a", summary: summaryOf(renewed) }] })
    .tell(listed([old]));
  expect(told.model.loops.rows.get("a")?.title).toBe("Renewed");
});

test("a loop that is deleted leaves the list, and whoever looks at it is told", async () => {
  const told = looking(recording("debugged"), SIZE);
  const { progress } = told.model.opened ?? {};
  told
    .tell(listed([progress?.state as LoopState]))
    .tell({ type: "changed", changes: [{ id: "cart", summary: null }] });
  expect(told.model.loops.rows.size).toBe(0);
  expect(told.model.loops.total).toBe(0);
  expect(told.model.opened?.gone).toBe("It was deleted.");
});

test("events of a loop that nobody looks at any more change nothing", () => {
  const told = looking(recording("debugged"), SIZE);
  const before = told.model;
  told.tell({ type: "happened", id: "other", events: recording("menu"), leftOut: 0 });
  expect(told.model).toBe(before);
});

test("the test runs of a loop are told as they happen", () => {
  const { opened } = looking(recording("debugged"), SIZE).model;
  expect(opened?.progress?.runs.passRates.length).toBeGreaterThan(1);
  expect(opened?.progress?.runs.passRates.at(-1)).toBe(1);
  expect(opened?.progress?.runs.passRates[0]).toBeLessThan(1);
});

test("connecting again is told, losing the connection keeps what is on the screen", () => {
  const told = looking(recording("menu"), SIZE);
  const { opened, stack } = told.model;
  told.tell({ type: "linked", link: { state: "lost", since: 5, reason: "gone" } });
  expect(told.model).toMatchObject({ opened, stack, link: { state: "lost" } });
  told.tell({ type: "linked", link: { state: "live" } });
  expect(told.model.notice?.text).toBe("Connected again to /repo/cart.");
});
