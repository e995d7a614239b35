import { expect, test } from "vitest";
import { detectAndRun } from "./plan.ts";
import { project } from "./project.ts";

const runChain = async (files: Record<string, string>, command: string) =>
  detectAndRun(await project(files), command);

const BUILD = "mkdir -p out && cp check.sh out/check && chmod +x out/check";

test("a command may start what an earlier one made", async () => {
  const result = await runChain(
    { "check.sh": "#!/bin/sh\necho checked" },
    `${BUILD} && ./out/check`,
  );
  expect(result).toMatchObject({ passed: true, commands: Array(4).fill({ verdict: "passed" }) });
  expect(result.output_tail).toBe("checked\n");
});

test("a command may start a program that an earlier one installed", async () => {
  const install = "node install.mjs";
  const result = await runChain(
    {
      "install.mjs": `import { mkdirSync, writeFileSync } from "node:fs";
        mkdirSync("node_modules/.bin", { recursive: true });
        writeFileSync("node_modules/.bin/shop-check", "#!/bin/sh\\necho checked", { mode: 0o755 });`,
    },
    `${install} && shop-check`,
  );
  expect(result).toMatchObject({ passed: true });
});

test("a command that cannot be started because an earlier one failed is no missing tool", async () => {
  const result = await runChain({}, `${BUILD} && ./out/check`);
  expect(result.passed).toBe(false);
  expect(result.commands.map(({ verdict }) => verdict)).toEqual([
    "passed",
    "untrusted",
    "untrusted",
    "untrusted",
  ]);
  expect(result.commands.at(-1)).toMatchObject({
    exit_code: null,
    reason: expect.stringContaining("out/check"),
  });
  expect(result.reason).toBe("The test command exited with 1.");
});

test("a command that nothing could have made is a missing tool", async () => {
  const running = runChain({}, "node --version && no-such-program-anywhere");
  await expect(running).rejects.toMatchObject({ code: "verify_unavailable" });
});

test("each command has a report of its own", async () => {
  const tap = (text: string) => `printf '${text}'`;
  const result = await runChain(
    { "a.sh": tap("1..1\\nok 1 a\\n"), "b.sh": "true", "c.sh": tap("1..1\\nnot ok 1 c\\n") },
    "sh a.sh && sh b.sh && sh c.sh",
  );
  expect(result.commands.map(({ report, counts }) => [report, counts.total])).toEqual([
    ["tap", 1],
    [null, 0],
    ["tap", 1],
  ]);
  expect(result.reason).toBe("The report has 1 failed test, but the command exited with 0.");
});

test("each command tells the runner whose report it has; a script tells none", async () => {
  const result = await runChain(
    { "a.test.mjs": 'import { test } from "node:test"; test("a", () => {});' },
    "node --test && sh -c true",
  );
  expect(result.commands.map(({ runner }) => runner)).toEqual(["node-test", null]);
});
