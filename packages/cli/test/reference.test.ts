import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { works } from "@ccw-loop/testkit";
import { describe, expect, test } from "vitest";
import { REFERENCE } from "../scripts/reference.ts";
import { createProgram } from "../src/program/program.ts";
import { fakeIo } from "./support/fake-io.ts";

const ROOT = new URL("../../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), "utf8");

describe("the reference is what the program says of itself", () => {
  test.each(Object.entries(REFERENCE))("%s", (path, page) => {
    expect(read(path), "Write it with: node packages/cli/scripts/reference.ts --write").toBe(
      page(),
    );
  });
});

test("every flag of a setting is one of run", () => {
  const run = createProgram(fakeIo(), () => undefined).commands.find((one) => one.name() === "run");
  const known = new Set(run?.options.map(({ long }) => long));
  const said = read("docs/reference/settings.md").matchAll(/`(--[a-z-]+)`/g);
  expect([...said].map(([, flag]) => flag).filter((flag) => !known.has(flag))).toEqual([]);
});

test("man reads its page", ({ skip }) => {
  if (!works("man", "--version")) skip("man does not work here");
  const page = new URL("packages/cli/man/ccw-loop.1", ROOT);
  const env = { ...process.env, MANWIDTH: "100", MANROFFOPT: "-ww" };
  const shown = execFileSync("man", ["-l", page.pathname], { encoding: "utf8", env });
  expect(shown).toContain("ccw-loop timeline [options] <id>");
  expect(shown).toMatch(/git log -1 --format=%B \| ccw-loop run --auto -/);
});
