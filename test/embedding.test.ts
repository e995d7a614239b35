import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

const root = join(import.meta.dirname, "..");

test("docs/embedding.md runs as it is printed, in a project with failing tests", {
  tags: ["slow"],
}, async () => {
  const text = await readFile(join(root, "docs/embedding.md"), "utf8");
  const [, code = ""] = /^```ts\n([\s\S]*?)^```/m.exec(text) ?? [];
  const [, printed] = /console\.log\(.*\); \/\/ (.*)$/m.exec(code) ?? [];
  // Beside the packages that it imports.
  const program = await mkdtemp(join(root, "packages/cli/node_modules/.embedding-"));
  const project = await mkdtemp(join(tmpdir(), "ccw-embedding-"));
  onTestFinished(async () => {
    for (const folder of [program, project]) await rm(folder, { recursive: true });
  });
  await writeFile(join(program, "main.mjs"), code);
  await cp(join(root, "packages/cli/demo/cart"), project, { recursive: true });
  await cp(join(root, "packages/cli/demo/agent.yaml"), join(project, "agent.yaml"));
  const run = promisify(execFile)(process.execPath, [join(program, "main.mjs")], { cwd: project });
  expect((await run).stdout.trim()).toBe(printed);
});
