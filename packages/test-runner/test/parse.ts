import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Collected, collector } from "../src/reports/collector.ts";
import { type FormatName, parserOf } from "../src/reports/report.ts";

/** What a parser makes of a text that arrives in pieces of `size` bytes. */
export function parse(
  format: FormatName,
  text: string | Buffer,
  size = 7,
): Collected & { damage: string | null } {
  const into = collector();
  const parser = parserOf(format, "/shop")(into);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) parser.write(bytes.subarray(at, at + size));
  return { damage: parser.end(), ...into.collected() };
}

/** A report in a runner's own format. */
export function recorded(name: string): string {
  return readFileSync(join(import.meta.dirname, "fixtures", "reports", name), "utf8");
}

/** `suite: name = status`, in the order the parser keeps: failures first. */
export function outline({ tests }: Collected): string[] {
  return tests.map((one) => `${one.suite}: ${one.test_name} = ${one.status}`);
}
