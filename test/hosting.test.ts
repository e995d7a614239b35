import { readFileSync } from "node:fs";
import { join } from "node:path";
import { validate } from "dockerfile-utils";
import { describe, expect, test } from "vitest";
import { createProgram } from "../packages/cli/src/program/program.ts";

const folder = join(import.meta.dirname, "..", "docs", "hosting");
const read = (name: string) => readFileSync(join(folder, name), "utf8");

/** The options of `ccw-loop serve` that the program itself knows. */
function optionsOfServe(): Set<string> {
  const nowhere = { write: () => true };
  const io = { stdout: nowhere, stderr: nowhere, env: {}, cwd: "/" } as never;
  const serve = createProgram(io, () => undefined).commands.find((one) => one.name() === "serve");
  return new Set(serve?.options.map(({ long }) => long ?? ""));
}

/** Every `--option` that stands behind `serve` in a file. */
function optionsIn(text: string): string[] {
  const lines = text.split("\n").filter((line) => /\bserve\b/.test(line) && !line.startsWith("#"));
  return lines.flatMap((line) => line.match(/--[a-z][a-z-]+/g) ?? []);
}

describe("the files for hosts", () => {
  test("the container file has nothing that a linter complains of", () => {
    expect(validate(read("Containerfile"))).toEqual([]);
    expect(validate("FROM node\nRUNN x\n")).not.toEqual([]);
  });

  test.each(["Containerfile", "ccw-loop.service"])("%s starts `serve` as it is", (name) => {
    const known = optionsOfServe();
    const used = optionsIn(read(name));
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((option) => !known.has(option))).toEqual([]);
  });
});
