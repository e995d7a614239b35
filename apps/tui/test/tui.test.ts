import {
  isLoopError,
  LoopError,
  type LoopService,
  type LoopState,
  type LoopSummary,
} from "@ccw-loop/core";
import { expect, test, vi } from "vitest";
import { HANGING, loopsInMemory, opened } from "./support/place.ts";

const SOON = { interval: 5, timeout: 10_000 };
const ENTER_ALTERNATE = "\x1B[?1049h";
const LEAVE_ALTERNATE = "\x1B[?1049l";
const SHOW_CURSOR = "\x1B[?25h";
const CUT_ROWS = "\x1B[?7l";
const WRAP_ROWS = "\x1B[?7h";
const PASTES = /.\[\?2004[hl]/gsu;

async function onlyLoop(service: LoopService): Promise<LoopState | undefined> {
  return (await service.list()).loops[0]?.state;
}

test("a loop is made, chosen for from the menu, approved and done, all with keys, and every step is told as lines", async () => {
  const service = loopsInMemory();
  const { type, written, left } = opened(service);
  const told = (text: string | RegExp) =>
    vi.waitFor(() => expect(written().replaceAll("\r", "")).toMatch(text), SOON);
  await told(/Keys: .*n new/);
  type("n");
  await told("New loop");
  type("Add the flag");
  await told("> Task: Add the flag");
  type("\x13");
  await told(/Keys: .*enter choose/);
  type("1");
  await told("DEVELOP done");
  await vi.waitFor(async () => expect((await onlyLoop(service))?.waiting?.menu).toBe(true), SOON);
  type("3");
  await told(/VALIDATE passed/);
  await vi.waitFor(async () => expect((await onlyLoop(service))?.waiting?.menu).toBe(true), SOON);
  type("5");
  // The files in memory never change, which speaks against the proof.
  await told("Does it count as done?");
  type("\u001B[B");
  await told("selected: accept");
  type("\r");
  await told(/Completed: /);
  expect((await onlyLoop(service))?.status).toBe("completed");
  type("\x03");
  expect(await left).toBe(true);
});

test("lines hold nothing that moves a cursor or opens another screen", async () => {
  const { type, written, left } = opened(loopsInMemory());
  await vi.waitFor(() => expect(written()).toContain("Keys: "), SOON);
  type("?");
  await vi.waitFor(() => expect(written()).toContain("Everywhere"), SOON);
  type("\x03");
  await left;
  // Colors were not wanted; what is left is the mode in which a terminal tells pastes apart.
  expect(written().replaceAll(PASTES, "")).not.toContain("\x1B");
});

test("who hears lines is told that the loops cannot be reached, and when they can again", async () => {
  const service = loopsInMemory();
  let reached = false;
  const list: LoopService["list"] = async (...asked) => {
    if (reached) return service.list(...asked);
    throw new LoopError("store_unavailable", "Nobody answers there.");
  };
  const place = { name: "http://127.0.0.1:1", drives: false };
  const { written } = opened({ ...service, list }, { place });
  await vi.waitFor(() => expect(written()).toContain("Not connected: Nobody answers there."), SOON);
  reached = true;
  await vi.waitFor(() => expect(written()).toContain("Connected again to http://"), SOON);
});

test("enter says a screen again", async () => {
  const { type, written } = opened(loopsInMemory());
  const times = () => written().split("0 loops").length - 1;
  await vi.waitFor(() => expect(written()).toContain("Make the first loop"), SOON);
  const before = times();
  type("\r");
  await vi.waitFor(() => expect(times()).toBe(before + 1), SOON);
});

/** It says something when somebody steers it, and then nothing more. */
const LISTENING: typeof HANGING = [
  ...HANGING.slice(0, 1),
  {
    action: "DEVELOP",
    when: "# ACTION: DEVELOP",
    steps: [{ expect_steer: "go on" }, { say: "As you wish." }, { hang: true }],
  },
];

async function driven(changes?: Parameters<typeof opened>[1], turns = HANGING) {
  const service = loopsInMemory(turns);
  const { loop_id: id } = await service.create({ description: "x", settings: { mode: "auto" } });
  const tui = opened(service, changes);
  await vi.waitFor(() => expect(tui.written()).toMatch(/x/), SOON);
  tui.type("s");
  await vi.waitFor(async () => expect((await service.get(id)).action?.name).toBe("DEVELOP"), SOON);
  return { service, id, ...tui };
}

test("what the agent says is told while it says it, once", async () => {
  const { service, id, type, written } = await driven({}, LISTENING);
  type("\r");
  await vi.waitFor(() => expect(written()).toMatch(/Keys: .*i steer/), SOON);
  const before = written().length;
  const told = () => written().slice(before).split("As you wish.").length - 1;
  await vi.waitFor(() => service.steer(id, "go on"), SOON);
  await vi.waitFor(() => expect(told()).toBe(1), SOON);
  type(" ");
  await vi.waitFor(() => expect(told()).toBe(2), SOON);
});

test("leaving asks while loops are driven here, and pauses them", async () => {
  const { service, id, type, written, left } = await driven();
  type("q");
  await vi.waitFor(() => expect(written()).toMatch(/Keys: p .*l /), SOON);
  expect((await service.get(id)).status).toBe("running");
  type("p");
  expect(await left).toBe(true);
  expect(await service.get(id)).toMatchObject({ status: "paused" });
  expect((await service.why(id)).driven_by).toBeNull();
});

test("Ctrl-C twice leaves them running for whoever drives next", async () => {
  const { service, id, type, left } = await driven();
  type("\x03\x03");
  expect(await left).toBe(true);
  expect((await service.get(id)).status).toBe("running");
  expect((await service.why(id)).driven_by).toBeNull();
});

test("a signal leaves at once and releases what is driven", async () => {
  const { service, id, leave, left } = await driven({ plain: false });
  leave();
  expect(await left).toBe(true);
  expect((await service.get(id)).status).toBe("running");
  expect((await service.why(id)).driven_by).toBeNull();
});

test("frames take the other screen and give the terminal back as it was", async () => {
  const { type, written, left, isRaw } = opened(loopsInMemory(), { plain: false });
  await vi.waitFor(() => expect(written()).toContain("Make the first loop"), SOON);
  expect(written()).toContain(ENTER_ALTERNATE);
  expect(written()).toContain(CUT_ROWS);
  expect(isRaw()).toBe(true);
  type("q");
  expect(await left).toBe(true);
  const bytes = written();
  expect(bytes.lastIndexOf(LEAVE_ALTERNATE)).toBeGreaterThan(bytes.lastIndexOf("first loop"));
  expect(bytes.lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(bytes.lastIndexOf(LEAVE_ALTERNATE));
  expect(bytes.lastIndexOf(WRAP_ROWS)).toBeGreaterThan(bytes.lastIndexOf(CUT_ROWS));
  expect(isRaw()).toBe(false);
});

test.each([true, false])(
  "what a rule throws is thrown when the terminal is as it was (plain: %s)",
  async (plain) => {
    const service = loopsInMemory();
    const broken = {
      ...service,
      summaries: async () => ({
        loops: [{ id: "a", revision: 1 } as LoopSummary],
        total: 1,
        damaged: [],
      }),
    };
    const { written, left, isRaw } = opened(broken, { plain });
    await expect(left).rejects.toThrow(TypeError);
    expect(isRaw()).toBe(false);
    if (!plain) expect(written()).toContain(LEAVE_ALTERNATE + SHOW_CURSOR);
  },
);

test("what nobody caught finds the terminal as it was, so that it can be read", async () => {
  const { written, isRaw } = opened(loopsInMemory(), { plain: false });
  await vi.waitFor(() => expect(written()).toContain("Make the first loop"), SOON);
  const process: NodeJS.EventEmitter = globalThis.process;
  process.emit("uncaughtExceptionMonitor", new Error("somewhere else"));
  expect(written()).toContain(LEAVE_ALTERNATE + SHOW_CURSOR);
  expect(isRaw()).toBe(false);
});

test("of ten thousand keys in one piece none is lost, and the terminal gets a few frames", async () => {
  const service = loopsInMemory();
  const { type, written } = opened(service, { plain: false });
  await vi.waitFor(() => expect(written()).toContain("Make the first loop"), SOON);
  type("n");
  await vi.waitFor(() => expect(written()).toContain("Test command"), SOON);
  const task = "word ".repeat(2000).trim();
  const before = written().length;
  type(task);
  type("\x13");
  await vi.waitFor(async () => expect((await onlyLoop(service))?.description).toBe(task), SOON);
  expect(written().length - before).toBeLessThan(50_000);
});

test("a terminal that changes its size gets frames of the new one, and is told when it is too small", async () => {
  const { resize, written } = opened(loopsInMemory(), { plain: false });
  await vi.waitFor(() => expect(written()).toContain("Make the first loop"), SOON);
  resize(50, 12);
  await vi.waitFor(() => expect(written()).toContain("this one has 50 and 12."), SOON);
});

test("where too little is shown, only the key to leave does anything", async () => {
  const service = loopsInMemory(HANGING);
  const { loop_id: id } = await service.create({ description: "x", settings: { mode: "auto" } });
  const { resize, type, written, left } = opened(service, { plain: false });
  await vi.waitFor(() => expect(written()).toContain("start"), SOON);
  resize(50, 12);
  await vi.waitFor(() => expect(written()).toContain("ctrl+c."), SOON);
  type("s\x03");
  expect(await left).toBe(true);
  expect((await service.get(id)).status).toBe("created");
});

test.each([
  ["no keyboard", { stdin: { isTTY: false } }, {}],
  ["no screen", { stdout: { isTTY: false } }, {}],
  ["a terminal that only has lines", {}, { TERM: "dumb" }],
])("%s is refused with the way out", async (_, streams, env) => {
  const { left } = opened(loopsInMemory(), { ...(streams as object), env, plain: false });
  const error: unknown = await left.catch((thrown: unknown) => thrown);
  expect(isLoopError(error, "invalid_input") && error.message).toMatch(
    /ccw-loop (list|tui --plain)/,
  );
});

test("a useless configuration is refused before anything is drawn", async () => {
  const config = { path: "/c/tui.json", value: { keys: { "home.quit": ["n"] } } };
  const { left, written } = opened(loopsInMemory(), { config, plain: false });
  await expect(left).rejects.toThrow('/c/tui.json: keys.home.quit: "n" is the key of home.new');
  expect(written()).toBe("");
});

test("configured keys do what the usual ones did", async () => {
  const value = { keys: { "home.quit": ["Q"] }, theme: "light" };
  const config = { path: "/c/tui.json", value };
  const { left, type, written } = opened(loopsInMemory(), { config });
  await vi.waitFor(() => expect(written()).toContain("Q quit"), SOON);
  type("qQ");
  expect(await left).toBe(true);
});
