import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const refuseVitest = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module";
  registerHooks({
    resolve(specifier, context, next) {
      if (/^(@vitest\\/|vitest($|\\/))/.test(specifier)) throw new Error("vitest is not there");
      return next(specifier, context);
    },
  });`)}`;

const load = (entry: string) =>
  promisify(execFile)(process.execPath, [
    "--import",
    refuseVitest,
    join(import.meta.dirname, "..", "src", entry),
  ]);

it("works without vitest, unlike the contract suites", async () => {
  await expect(load("index.ts")).resolves.toBeDefined();
  await expect(load("contracts.ts")).rejects.toThrow("vitest is not there");
});
