/** @module-tag slow */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";

const HEAP_MB = 48;
const SCRIPT = fileURLToPath(new URL("./huge-coverage.ts", import.meta.url));

/** Percent, and the files with line lists: at most 5,000, and two million lines in all of them. */
describe.concurrent("in a heap of 48 MB", () => {
  test.each([
    ["lcov", 40, 1000, { lines: 75, listed: 2000 }],
    ["lcov", 10, 1, { lines: 100, listed: 5000 }],
    ["lcov", 13, 1_200_000, { lines: 75, listed: 0 }],
    ["cobertura", 12, 1000, { lines: 75, listed: 273 }],
    ["istanbul", 6, 100, { lines: 1 }],
    ["go", 6, 1000, { lines: 75, listed: 1 }],
  ])("reads %s of %i MB with %i lines a file", async (format, megabytes, perFile, expected) => {
    const args = [`--max-old-space-size=${HEAP_MB}`, SCRIPT, format, `${megabytes}`, `${perFile}`];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const { told, ...read } = JSON.parse(stdout);
    expect(read).toMatchObject(expected);
    expect(read.files).toBe(format === "go" ? 1 : Math.min(told.files, 5000));
  });
});
