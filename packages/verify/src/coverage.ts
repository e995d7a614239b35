import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { lineCutter } from "./reports/lines.ts";

/** Reads one coverage file: percent of lines, or null when it says nothing. */
type Reader = (file: string) => Promise<number | null>;

/** Where coverage tools write by default, in order of preference. */
const FILES: readonly [string, Reader][] = [
  ["coverage/coverage-summary.json", istanbulSummary],
  ["coverage/lcov.info", lcov],
  ["lcov.info", lcov],
  ["coverage/cobertura-coverage.xml", cobertura],
  ["coverage/cobertura.xml", cobertura],
  ["cobertura.xml", cobertura],
  ["coverage.xml", cobertura],
];

const SUMMARY_KEPT = 64 * 1024 * 1024;

/** Percent of lines by the first coverage file that was written at `since` (ms) or later; null without one. */
export async function readCoverage(cwd: string, since: number): Promise<number | null> {
  for (const [name, read] of FILES) {
    const file = join(cwd, name);
    const found = await stat(file).catch(() => null);
    if (!found?.isFile() || found.mtimeMs < since || found.size > SUMMARY_KEPT) continue;
    const percent = await read(file).catch(() => null);
    if (percent !== null) return Math.round(percent * 100) / 100;
  }
  return null;
}

const Summary = z.object({ total: z.object({ lines: z.object({ pct: z.number() }) }) });

async function istanbulSummary(file: string): Promise<number | null> {
  return Summary.parse(JSON.parse(await readFile(file, "utf8"))).total.lines.pct;
}

async function lcov(file: string): Promise<number | null> {
  let found = 0;
  let hit = 0;
  const lines = lineCutter((line) => {
    const [, kind, count] = /^(LF|LH):(\d+)$/.exec(line.toString()) ?? [];
    if (kind === "LF") found += Number(count);
    if (kind === "LH") hit += Number(count);
  });
  for await (const chunk of createReadStream(file)) lines.write(chunk as Buffer);
  lines.end();
  return found === 0 ? null : (hit / found) * 100;
}

/** The rate stands in the root element, which is all that is looked at. */
async function cobertura(file: string): Promise<number | null> {
  let head = "";
  for await (const chunk of createReadStream(file, { end: 16 * 1024 })) head += String(chunk);
  const rate = /<coverage\b[^>]*\sline-rate="([\d.]+)"/.exec(head)?.[1];
  return rate === undefined ? null : Number(rate) * 100;
}
