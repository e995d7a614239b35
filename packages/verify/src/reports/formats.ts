import { isAbsolute, relative, sep } from "node:path";
import { eventLinesParser } from "./event-lines.ts";
import { goJsonParser } from "./go-json.ts";
import { jestJsonParser } from "./jest-json.ts";
import { junitParser } from "./junit.ts";
import { libtestParser } from "./libtest.ts";
import type { ParserFactory } from "./parser.ts";
import { rspecJsonParser } from "./rspec-json.ts";
import { tapParser } from "./tap.ts";
import { trxParser } from "./trx.ts";
import { encodingOf } from "./xml.ts";

/** The report formats that can be read; the names are those of `Verification.report`. */
export type FormatName =
  | "junit"
  | "tap"
  | "jest-json"
  | "go-json"
  | "event-lines"
  | "libtest"
  | "rspec-json"
  | "trx";

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
    case "libtest":
      return libtestParser;
    case "rspec-json":
      return rspecJsonParser;
    case "trx":
      return trxParser;
    case "jest-json":
      return (collector) => jestJsonParser(collector, inside);
    case "event-lines":
      return (collector) => eventLinesParser(collector, inside);
  }
}

/** The format of a report by its first bytes; undefined when it is none of ours. */
export function formatOf(head: Buffer): FormatName | undefined {
  const start = head.subarray(0, 512);
  const wide = encodingOf(start).startsWith("utf-16");
  const text = new TextDecoder(wide ? encodingOf(start) : "utf-8").decode(start).trimStart();
  if (text.startsWith("<")) return /<TestRun[\s>]/.test(text) ? "trx" : "junit";
  if (/^\{\s*"num[A-Z]\w*"/.test(text)) return "jest-json";
  if (/^\{\s*"version":\s*"[^"]*",\s*"(seed|messages|examples)"/.test(text)) return "rspec-json";
  if (/^\{"(Time|Action|ImportPath)":/.test(text)) return "go-json";
  if (/^(TAP version 1[2-4]\b|1\.\.\d+(\s|$)|(not )?ok \d+\b)/.test(text)) return "tap";
  return undefined;
}

/** Relative to `cwd` with `/`; names outside it stay as they are. */
function shortName(cwd: string, file: string): string {
  if (!isAbsolute(file)) return file;
  const inside = relative(cwd, file);
  return inside === "" || inside.startsWith("..") ? file : inside.split(sep).join("/");
}
