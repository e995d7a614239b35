/** @module-tag slow */
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { DELAY_MS } from "../src/ordinary-program.ts";
import { checked } from "./checking.ts";
import { hasPytest } from "./tools.ts";

const FILES = 10;
const files = (text: (n: number) => string, name: (n: number) => string) =>
  Object.fromEntries(Array.from({ length: FILES }, (_, n) => [name(n), text(n)]));

/** Fails where another test file is at work, as tests with one port do. */
const javascript = (n: number) => `import assert from "node:assert/strict";
import { mkdirSync, rmdirSync } from "node:fs";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { half } from "../src/cart.js";
test("alone ${n}", async () => {
  mkdirSync("busy");
  await setTimeout(50);
  rmdirSync("busy");
  assert.equal(half(${n * 2}), ${n});
});
`;

/** The same, also while it is loaded. */
const python = (n: number) => `import os
import time
from cart import half

def alone():
    os.mkdir("busy")
    time.sleep(0.05)
    os.rmdir("busy")

alone()

def test_alone_${n}():
    alone()
    assert half(${n * 2}) == ${n}
`;

const projects = {
  "node:test": {
    ...{ command: "node --test --test-concurrency=1", report: "node-test" },
    start: {
      "package.json": '{"type":"module"}',
      "src/cart.js": "export const half = (price) => price;\n",
      ...files(javascript, (n) => `test/${n}.test.js`),
    },
    present: { "src/cart.js": "export const half = (price) => price / 2;\n" },
  },
  pytest: {
    ...{ command: "python3 -m pytest", report: "pytest" },
    start: {
      "cart.py": "def half(price):\n    return price\n",
      ...files(python, (n) => `test_part_${n}.py`),
    },
    present: { "cart.py": "def half(price):\n    return price // 2\n" },
  },
};

test.for(Object.entries(projects))(
  "programs of test files wait beside each other, and run one by one: %s",
  {
    timeout: 120_000,
  },
  async ([name, project], { skip }) => {
    if (name === "pytest" && !hasPytest) skip("pytest is not installed");
    const { verdict, of } = await checked(project);
    expect(verdict.passed, verdict.output_tail).toBe(true);
    const { result, text, looked_at, duration_ms } = of("direct");
    expect([result, text, looked_at]).toEqual(["held", "", FILES]);
    expect(duration_ms).toBeLessThan((FILES / 2) * DELAY_MS);
  },
);

const REACHED = `  const socket = connect(PORT, "127.0.0.1");
  await once(socket, "connect");
  socket.destroy();`;
/** Long enough for two runs to meet. */
const HELD = `  const server = createServer().listen(PORT, "127.0.0.1");
  await once(server, "listening");
  await setTimeout(2000);
  server.close();`;

const withPort = (lines: string, port: number) => ({
  ...{ command: "node --test", report: "node-test" },
  start: {
    "package.json": '{"type":"module"}',
    "src/cart.js": "export const half = (price) => price;\n",
    "test/cart.test.js": `import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { half } from "../src/cart.js";
test("a half", () => assert.equal(half(4), 2));
test("nothing", async () => {
${lines.replace("PORT", String(port))}
  assert.equal(half(0), 0);
});
`,
  },
  present: { "src/cart.js": "export const half = (price) => price / 2;\n" },
});

/** The canary's room, those of the recording, of five programs that repeat it, and of the tests that are started directly. */
const ROOMS = 8;

test("tests with a port of their own are recorded once, beside others that have it", {
  timeout: 120_000,
}, async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  const { all, rooms } = await checked(withPort(HELD, port));
  expect(all).toEqual(["canary", "replay", "direct"].map((kind) => [kind, "held", 0]));
  expect(rooms).toBe(ROOMS);
});

test("tests that need what else is on the machine are recorded behind the others", {
  timeout: 120_000,
}, async () => {
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { of, rooms } = await checked(withPort(REACHED, (server.address() as AddressInfo).port));
  expect(of("replay")).toMatchObject({ result: "held", objections: [] });
  // One more for the recording, and three for what fails without the machine's network wherever it is started directly.
  expect(rooms).toBe(ROOMS + 1 + 3);
});

test("where rooms have no network of their own, one check is made behind the other", {
  timeout: 120_000,
}, async () => {
  // No room is shown at such a path.
  const { all, rooms } = await checked({ ...projects["node:test"], folder: "it's" });
  expect(all).toEqual(["canary", "replay", "direct"].map((kind) => [kind, "held", 0]));
  expect(rooms).toBe(ROOMS);
});
