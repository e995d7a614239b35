import { relative, sep } from "node:path";
import { goJsonParser } from "./go-json.ts";
import { jestJsonParser } from "./jest-json.ts";
import { junitParser } from "./junit.ts";
import { nodeEventsParser } from "./node-events.ts";
import type { ParserFactory } from "./parser.ts";
import { tapParser } from "./tap.ts";

/** The report formats that can be read; the names are those of `Verification.report`. */
export type FormatName = "junit" | "tap" | "jest-json" | "go-json" | "node-events";

/** A parser for the format; `cwd` is what file names in the report are made relative to. */
export function parserOf(format: FormatName, cwd: string): ParserFactory {
  const inside = (file: string) => shortName(cwd, file);
  switch (format) {
    case "junit":
      return junitParser;
    case "tap":
      return tapParser;
    case "go-json":
      return goJsonParser;
    case "jest-json":
      return (collector) => jestJsonParser(collector, inside);
    case "node-events":
      return (collector) => nodeEventsParser(collector, inside);
  }
}

/** The format of a report by its first bytes; undefined when it is none of ours. */
export function formatOf(head: Buffer): FormatName | undefined {
  const text = head
    .subarray(0, 512)
    .toString()
    .replace(/^\uFEFF/, "")
    .trimStart();
  if (text.startsWith("<")) return "junit";
  if (/^\{\s*"num[A-Z]\w*"/.test(text)) return "jest-json";
  if (/^\{"(Time|Action|ImportPath)":/.test(text)) return "go-json";
  if (/^(TAP version 1[2-4]\b|1\.\.\d+(\s|$)|(not )?ok \d+\b)/.test(text)) return "tap";
  return undefined;
}

/** Relative to `cwd` with `/`; names outside it stay as they are. */
function shortName(cwd: string, file: string): string {
  const inside = relative(cwd, file);
  return inside === "" || inside.startsWith("..") ? file : inside.split(sep).join("/");
}
