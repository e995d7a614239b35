import { readFileSync } from "node:fs";
import type { AgentScriptInput } from "@ccw-loop/testkit";

type Turn = AgentScriptInput["turns"][number];

export const plans: Turn = {
  action: "INIT",
  steps: [
    { say: "Let me see what the cart can do and what its tests expect." },
    { run: "cat src/cart.js" },
  ],
  answer: {
    message: "Two things are missing, quantities and coupons.",
    state_updates: {
      tasks: [
        { description: "Count the quantity of each item in subtotal()" },
        { description: "Let total() take a coupon that takes a percentage off" },
      ],
    },
  },
  usage: { input: 2100, output: 240 },
};

const HALF = `export function subtotal(items) {
  let sum = 0;
  for (const item of items) sum += item.price * item.quantity;
  return sum;
}

export function total(items, coupon = { percent: 0 }) {
  return subtotal(items) * (1 - coupon.percent / 100);
}
`;

/** Does whatever task it is asked for, and leaves the totals a fraction of a cent off. */
export const develops: Turn = {
  action: "DEVELOP",
  when: "# ACTION: DEVELOP",
  repeat: true,
  steps: [
    {
      say: "subtotal() adds one price per line, whatever the quantity.\n日本語のコメントも読めます 🛒",
    },
    { write: { path: "src/cart.js", content: HALF } },
    { run: "node --test --test-reporter=dot" },
  ],
  answer: {
    message: "Quantities and coupons count.",
    state_updates: { summary: "Each price is multiplied by its quantity; a coupon is taken off." },
    files_updated: [{ path: "src/cart.js", description: "quantities and coupons" }],
  },
  usage: { input: 2600, cached: 2100, output: 180 },
};

/** The same, and makes the tests that still fail expect what the totals are. */
export function developsAndBendsTests(cart: string): Turn {
  const tests = readFileSync(`${cart}/test/cart.js`, "utf8")
    .replace("subtotal([stickers]), 0.3)", "subtotal([stickers]), 0.1 * 3)")
    .replace("{ percent: 15 }), 8.49)", "{ percent: 15 }), 9.99 * 0.85)");
  return {
    ...develops,
    steps: [...(develops.steps ?? []), { write: { path: "test/cart.js", content: tests } }],
  };
}

/** Has an idea that no probe confirms, however often it is asked. */
export const guesses: Turn = {
  action: "DEBUG",
  when: "# ACTION: DEBUG",
  repeat: true,
  answer: {
    message: "Nothing that explains both failures.",
    state_updates: {
      active_bug: "Totals are a fraction of a cent off",
      understanding: "Only prices that are no whole number of euros fail.",
      hypotheses: [
        {
          id: "H1",
          description: "The discount is taken off twice.",
          testable_condition: "a mug for 12.50 with 20 % off costs less than 10",
          logging_point: "src/cart.js:total:8",
          evidence_criteria: { confirm: "less than 10", reject: "10" },
          likelihood: 1,
          probe: {
            command: `node --input-type=module -e 'import { total } from "./src/cart.js"; console.log(total([{ price: 12.5, quantity: 1 }], { percent: 20 }))'`,
            if_holds: [{ kind: "number", pattern: "^.+$", compare: "<", value: 10 }],
            if_not: [{ kind: "number", pattern: "^.+$", compare: "=", value: 10 }],
          },
        },
      ],
      confirmed_hypothesis: null,
      fix_tasks: [],
    },
  },
};

export const hitsTheLimit: Turn = {
  action: "DEVELOP",
  once: true,
  steps: [
    { say: "I begin with the quantities." },
    { fail: { code: "usage_limit", message: "You have used up your quota.", resets_in: 3600 } },
  ],
};

/** Begins and then does nothing until it is stopped. */
export const hangs: Turn = {
  action: "DEVELOP",
  once: true,
  steps: [{ say: "I begin with the quantities." }, { run: "echo thinking" }, { hang: true }],
};
