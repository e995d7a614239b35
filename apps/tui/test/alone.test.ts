import { expect, test } from "vitest";
import { looking, recording, whereState } from "./support/recorded-loop.ts";
import { heard, labelsOn, seen } from "./support/seen.tsx";
import { SIZES } from "./support/sizes.ts";

/** A loop in the middle of DEVELOP, and who drives it as the service says. */
function drivenBy(driver: string | null) {
  const events = recording("debugged");
  const running = whereState(events, ({ action }) => action?.name === "DEVELOP");
  const told = looking(events, SIZES[0], running);
  const call = { name: "why", id: "cart" } as const;
  const value = {
    action: null,
    rule: 1,
    reason: "",
    guards: [],
    driven_by: driver,
    undriven_since: null,
  };
  told.tell({ type: "answered", answer: { name: "why", call, ok: true, value } });
  const later = () => told.tell({ type: "ticked", now: told.model.now + 600_000 });
  const body = () => seen(told.model);
  const plain = () => heard(told.model);
  const labels = () => labelsOn(told.model);
  return { told, later, body, plain, labels };
}

test("of a loop that nobody drives no time goes by, and nobody is offered to steer it", () => {
  const { later, body, plain, labels } = drivenBy(null);
  expect(body()).toContain("driven by nobody");
  expect(body()).toContain("r drive here");
  expect(labels()).not.toContain("steer");
  const before = [body(), plain()];
  later();
  expect([body(), plain()]).toEqual(before);
});

test("of one that somebody drives it does", () => {
  const { later, body, plain, labels } = drivenBy("cli:other:7");
  expect(labels()).toContain("steer");
  later();
  expect(body()).toMatch(/DEVELOP 10m/);
  expect(plain()).toMatch(/DEVELOP runs for 10m/);
});

test("and of one that is driven here from now on", () => {
  const { told, later, body } = drivenBy(null);
  told.tell({ type: "driving", ids: ["cart"] });
  later();
  expect(body()).toMatch(/DEVELOP 10m/);
});
