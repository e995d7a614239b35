import type { LoopState } from "@ccw-loop/core";
import type { Size } from "../../src/components/line.ts";
import { listed } from "./listed.ts";
import { Told } from "./recorded-loop.ts";
import { SIZES } from "./sizes.ts";
import { after, made, NOW } from "./some-loops.ts";

export const [USUAL, LARGE, SMALL] = SIZES;

const created = await made({ id: "flag", title: "Add a flag" }, 200);
export const running = after(await made({ id: "cart", title: "Fix 購物車 🛒 totals" }, 90), 30, {
  type: "start",
});
const paused = after(
  after(
    await made({ id: "red", title: "A \u001B[31mred\u001B[0m\u0007 title", tags: ["cart"] }, 90),
    9,
    { type: "start" },
  ),
  8,
  { type: "pause" },
);
const asks = after({ ...running, loop_id: "port", title: "Serve it" }, 2, {
  type: "waiting.started",
  waiting: { kind: "input", since: NOW, prompt: "Which port?" },
});
const limited = after({ ...running, loop_id: "quota", title: "Port it to Windows" }, 1, {
  type: "waiting.started",
  waiting: { kind: "usage_limit", since: NOW, until: "2026-01-22T11:30:00.000Z" },
});
const failed = after(
  { ...running, loop_id: "long", title: `Too much ${"of it ".repeat(30)}` },
  20,
  {
    type: "loop.failed",
    outcome: { code: "max_iterations", message: "10 of 10 iterations are used." },
  },
);
/** One of each kind that a home may have, with titles of all sorts. */
export const ALL: readonly LoopState[] = [created, running, paused, asks, limited, failed];
const DAMAGED = [{ id: "broken", reason: "It is not JSON." }];

export function home(size: Size = USUAL, states = ALL, damaged = DAMAGED): Told {
  const total = states.length + damaged.length;
  return new Told(size).tell(listed(states, { total, damaged }));
}
