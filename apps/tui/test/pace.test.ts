import fc from "fast-check";
import { expect, test } from "vitest";
import { FrameThrottle } from "../src/app/full-screen.tsx";

test("what is new is drawn at once when nothing was drawn for a while", () => {
  const pace = new FrameThrottle();
  expect(pace.wait(0)).toBe(0);
  pace.drew(0, 3);
  expect(pace.wait(40)).toBe(60);
  expect(pace.wait(1000)).toBe(0);
});

test("however much a frame costs, frames take a small share of the time", () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0.1, max: 35, noNaN: true }), { minLength: 20, maxLength: 60 }),
      (costs) => {
        const pace = new FrameThrottle();
        let now = 0;
        let busy = 0;
        for (const cost of costs) {
          now += pace.wait(now);
          now += cost;
          busy += cost;
          pace.drew(now, cost);
        }
        expect(busy / now).toBeLessThan(0.2);
      },
    ),
  );
});
