import { LoopError } from "@ccw-loop/core";
import { commandsAsTyped } from "@ccw-loop/view";
import { expect, test } from "vitest";
import { looking, recording, Told, whereState } from "./support/recorded-loop.ts";
import { fittingFrame, frameOf } from "./support/seen.tsx";
import { SIZES } from "./support/sizes.ts";

const REASON =
  "http://127.0.0.1:3456 wants the token that its server keeps, and this request had none or another one. Give it with --token-file FILE.";

/** What the rows say, whatever they are broken into. */
function saidBy({ model }: Told): string {
  return fittingFrame(model)
    .map((row) => row.trim())
    .join(" ");
}

test.each(SIZES)("a refusal is told to its end, with the next step, at $columns×$rows", (size) => {
  const told = new Told(size).tell({ type: "told", notice: { tone: "bad", text: REASON } });
  expect(saidBy(told)).toContain(REASON);
  expect(saidBy(told.press("j"))).not.toContain("--token-file");
});

test.each(SIZES)("why the loops cannot be reached is told to its end at $columns×$rows", (size) => {
  const link = { state: "lost", since: 0, reason: REASON } as const;
  expect(saidBy(new Told(size).tell({ type: "linked", link }))).toContain(REASON);
});

test.each(SIZES)("a notice leaves the field of a sheet to be seen at $columns×$rows", (size) => {
  const events = recording("debugged");
  const running = whereState(events, ({ action }) => action?.name === "DEVELOP");
  const told = looking(events, size, running).press("i").type("hurry");
  expect(saidBy(told.tell({ type: "told", notice: { tone: "bad", text: REASON } }))).toContain(
    "> hurry",
  );
});

test("a notice without an end takes four rows and says that there is more", () => {
  const text = "and so on ".repeat(200).trim();
  const told = new Told(SIZES[0]).tell({ type: "told", notice: { tone: "bad", text } });
  const rows = frameOf(told.model);
  expect(rows.filter((row) => row.includes("and so on"))).toHaveLength(4);
  expect(rows.at(-2)?.trimEnd()).toMatch(/…$/);
});

test.each(SIZES)("why a turn is not steered is told to its end at $columns×$rows", (size) => {
  const events = recording("debugged");
  const running = whereState(events, ({ action }) => action?.name === "DEVELOP");
  const told = looking(events, size, running).press("i").type("hurry").press("enter");
  const call = told.effects.flatMap((effect) => (effect.type === "call" ? [effect.call] : []));
  const steer = call.find(({ name }) => name === "steer");
  if (steer?.name !== "steer") throw new Error("Nothing was sent.");
  const error = new LoopError("store_unavailable", REASON);
  told.tell({ type: "answered", answer: { ok: false, name: "steer", call: steer, error } });
  const rows = frameOf(told.model).map((row) => row.replaceAll("│", " ").trim());
  expect(rows.join(" ").replaceAll(/\s+/g, " ")).toContain(REASON);
});

test("the commands of refusals are those that can be typed here", () => {
  const told = new Told(SIZES[0]);
  const asTyped = (text: string) => commandsAsTyped(text, () => "npx ccw-loop --store S");
  told.model = { ...told.model, place: { ...told.model.place, asTyped } };
  const text = "Loop a is running. Pause it first: ccw-loop pause a";
  const typed = "Pause it first: npx ccw-loop --store S pause a";
  expect(saidBy(told.tell({ type: "told", notice: { tone: "bad", text } }))).toContain(typed);
  const error = new LoopError("invalid_transition", text);
  const call = { name: "delete", id: "a" } as const;
  const answer = { ok: false, name: "delete", call, error } as const;
  expect(saidBy(told.press("j").tell({ type: "answered", answer }))).toContain(typed);
  const link = { state: "lost", since: 0, reason: "Start it: ccw-loop serve" } as const;
  expect(saidBy(told.press("j").tell({ type: "linked", link }))).toContain(
    "npx ccw-loop --store S serve",
  );
});
