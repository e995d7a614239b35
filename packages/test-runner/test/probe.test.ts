import { rm } from "node:fs/promises";
import { join } from "node:path";
import { processes } from "@ccw-loop/processes";
import { expect, test } from "vitest";
import { probe } from "../src/process/run-command.ts";
import { project } from "./project.ts";

const SETTINGS = { env: { SHOP: "open" }, graceMs: 500, processes: processes() };

async function run(code: string, timeoutMs = 20_000) {
  const cwd = await project({ "run.mjs": code });
  const { signal } = new AbortController();
  return probe("node run.mjs", { cwd, signal, timeoutMs }, SETTINGS);
}

test.each<[string, string, string]>([
  ["colours and titles", "\\x1b[31mred\\x1b[0m \\x1b]0;title\\x07end", "red end"],
  ["bells and other controls", "a\\x07b\\0c\\x0bd\\x7fe\\tf", "abcde\tf"],
  ["a line that is written over", "10%\\r50%\\r100%\\nready", "100%\nready"],
  ["line ends of Windows", "one\\r\\ntwo\\r\\n", "one\ntwo\n"],
])("shows %s as a terminal leaves them", async (_, written, shown) => {
  expect((await run(`process.stdout.write("${written}")`)).output).toBe(shown);
});

test("keeps the last lines, and of a long line the end", async () => {
  const { output, exit_code } = await run(`
    for (let at = 0; at < 50_000; at += 1) console.log("line " + at);
    console.log("x".repeat(200_000) + "the end");
    process.exitCode = 7;
  `);
  expect(exit_code).toBe(7);
  expect(output.length).toBeLessThanOrEqual(64 * 1024);
  expect(output.endsWith("xthe end\n")).toBe(true);
});

test("has the environment of the tests", async () => {
  const names = 'JSON.stringify([process.env.CI, process.env.SHOP, process.env.A_TOKEN ?? ""])';
  process.env.A_TOKEN = "secret";
  try {
    expect((await run(`console.log(${names})`)).output).toBe('["1","open",""]\n');
  } finally {
    delete process.env.A_TOKEN;
  }
});

test("a time limit that is reached is an answer", async () => {
  const found = await run("console.log('begun'); setInterval(() => {}, 1000)", 1500);
  expect(found).toMatchObject({ exit_code: null, timed_out: true, output: "begun\n" });
  expect(found.duration_ms).toBeGreaterThanOrEqual(1000);
});

test.each(["no-such-program --all", "", "  "])(
  "refuses %j, which cannot be started",
  async (command) => {
    const cwd = await project({});
    const { signal } = new AbortController();
    await expect(probe(command, { cwd, signal, timeoutMs: 1000 }, SETTINGS)).rejects.toMatchObject({
      code: "verify_unavailable",
      message: `The probe "${command}" cannot be started in ${cwd}. Name a program that is installed here.`,
    });
  },
);

test("refuses a folder that is gone", async () => {
  const cwd = await project({});
  await rm(cwd, { recursive: true });
  const { signal } = new AbortController();
  const options = { cwd: join(cwd, "gone"), signal, timeoutMs: 1000 };
  await expect(probe("node -v", options, SETTINGS)).rejects.toMatchObject({
    code: "verify_unavailable",
  });
  await expect(probe("A=1 node -v", options, SETTINGS)).rejects.toMatchObject({
    code: "verify_unavailable",
  });
});

test("rejects with the signal's reason, before and while it runs", async () => {
  const cwd = await project({ "run.mjs": "setInterval(() => {}, 1000)" });
  const reason = new Error("An operator stopped the loop.");
  const early = { cwd, signal: AbortSignal.abort(reason), timeoutMs: 9000 };
  await expect(probe("node run.mjs", early, SETTINGS)).rejects.toBe(reason);
  const abort = new AbortController();
  const running = probe("node run.mjs", { cwd, signal: abort.signal, timeoutMs: 9000 }, SETTINGS);
  setTimeout(() => abort.abort(reason), 300);
  await expect(running).rejects.toBe(reason);
});
