import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isolatedEnvironment } from "../../../support/environment.ts";
import { makeRepository, writeFiles } from "../../../support/folders.ts";

/** Each mends one more test; the last one all. */
const BODIES = {
  subtotal: ["items[0].price", "sum(items, (one) => one.price)", "cents(sum(items, priceOf))"],
  total: ["subtotal(items)", "subtotal(items) - off", "cents(subtotal(items) - off)"],
  label: ['""', "String(total(items))", "total(items).toFixed(2)"],
};
export const PARTS = [
  [1, 0, 0],
  [2, 0, 0],
  [2, 1, 0],
  [2, 2, 0],
  [2, 2, 1],
  [2, 2, 2],
] as const;

/** The sources with these bodies. */
export function cart([subtotal, total, label]: readonly [number, number, number]): string {
  return `const priceOf = (one) => one.price * one.quantity;
const sum = (items, of) => items.reduce((all, one) => all + of(one), 0);
const cents = (amount) => Math.round(amount * 100) / 100;
export function subtotal(items) {
  return ${BODIES.subtotal[subtotal]};
}
export function total(items, { percent = 0 } = {}) {
  const off = (subtotal(items) * percent) / 100;
  return ${BODIES.total[total]};
}
export function label(items) {
  return ${BODIES.label[label]};
}
`;
}

const TESTS = `import assert from "node:assert/strict";
import { test } from "node:test";
import { label, subtotal, total } from "../src/cart.js";

const mug = { price: 12.5, quantity: 1 };
const cup = { price: 7.25, quantity: 1 };
const sticker = { price: 0.1, quantity: 3 };
const book = { price: 9.99, quantity: 1 };

test("two things cost their sum", () => assert.equal(subtotal([mug, cup]), 19.75));
test("three stickers cost 0.30", () => assert.equal(subtotal([sticker]), 0.3));
test("a coupon takes its percentage off", () => assert.equal(total([mug], { percent: 20 }), 10));
test("a discounted price is in whole cents", () => assert.equal(total([book], { percent: 15 }), 8.49));
test("a label shows the price", () => assert.equal(label([cup]), "7.25"));
test("a label has two digits", () => assert.equal(label([mug]), "12.50"));
`;

/** A new project below a folder, with these files besides, and the program that makes its next edit. */
export function project(
  base: string,
  name: string,
  files: Readonly<Record<string, string>> = {},
): { dir: string; agent: string; env: NodeJS.ProcessEnv } {
  const top = join(base, name);
  const dir = join(top, "project");
  for (const folder of ["src", "test"]) mkdirSync(join(dir, folder), { recursive: true });
  writeFileSync(
    join(dir, "package.json"),
    JSON.stringify({ type: "module", private: true, scripts: { test: "node --test" } }),
  );
  writeFileSync(join(dir, "src/cart.js"), cart([0, 0, 0]));
  writeFileSync(join(dir, "test/cart.test.js"), TESTS);
  writeFiles(dir, files);
  makeRepository(dir, "begin");
  PARTS.forEach((parts, n) => {
    writeFileSync(join(top, `edit-${n + 1}`), cart(parts));
  });
  const agent = join(top, "agent.sh");
  const lines = [
    `n=$(cat ${top}/n 2>/dev/null || echo 0)`,
    "n=$((n + 1))",
    `echo $n >${top}/n`,
    `[ -f ${top}/edit-$n ] && cp ${top}/edit-$n src/cart.js`,
    "echo Done.",
  ];
  writeFileSync(agent, `${lines.join("\n")}\n`);
  return { dir, agent, env: isolatedEnvironment(top) };
}
