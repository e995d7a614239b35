import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { missingPage } from "../src/commands/serve.ts";
import { emptyFolder } from "./support/folder.ts";
import { cli } from "./support/run-cli.ts";

test("a dashboard that is not built is said, with what builds it in a checkout", async () => {
  const root = emptyFolder();
  const page = pathToFileURL(`${join(root, "apps/web/dist/page")}/`);
  expect(missingPage(page)).toMatch(/not built.*Install this program again\.$/);
  await mkdir(join(root, "scripts"));
  const script = join(root, "scripts/x.mjs");
  await writeFile(script, "");
  expect(missingPage(page)).toContain(
    `Build it, and start this again: node ${script} exec pnpm --filter @ccw-loop/web... build`,
  );
  await mkdir(page, { recursive: true });
  await writeFile(new URL("index.html", page), "");
  expect(existsSync(page)).toBe(true);
  expect(missingPage(page)).toBeNull();
});

test("help for what is no command is refused", async () => {
  expect(await cli("/", ["help", "nope"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("Unknown command 'nope'."),
  });
  expect((await cli("/", ["help", "run"])).code).toBe(0);
});
