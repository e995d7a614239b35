import { stripVTControlCharacters } from "node:util";
import type { Collector } from "./collector.ts";
import { isOfProgram, type RustProgram, rustProgram } from "./libtest-program.ts";
import { lineCutter } from "./lines.ts";
import type { OutputParser } from "./parser.ts";

/** Cargo's own words: which program it starts, and that one ended badly. */
const TARGET = /^\s+Running (?:(?:unittests|tests?|benches) )?(\S+)(?: \((\S+)\))?$/;
const DOCS = /^\s+Doc-tests (\S+)$/;
const BROKEN = /^error: (?:doc)?test failed, to rerun pass/;
const BEGIN = /^running (\d+) tests?$/;

/**
 * What `cargo test` prints, stdout and stderr together, which stable Rust has no other report for. Strict: every
 * test program announces how many tests it runs, must name each, and must end with counts that fit.
 */
export function libtestParser(collector: Collector): OutputParser {
  const suites = new Map<string, number>();
  let docs = new Map<string, number>();
  let program: RustProgram | null = null;
  let suite = "";
  /** Cargo has started a program that has not said anything yet: it may have a harness of its own. */
  let silent = false;
  let seen = false;
  let problem: string | null = null;
  const lines = lineCutter((bytes) => take(stripVTControlCharacters(bytes.toString())));

  function take(line: string): void {
    if (program?.take(line)) return;
    const begun = BEGIN.exec(line);
    if (begun) {
      leave();
      seen = true;
      silent = false;
      program = rustProgram({ suite, expected: Number(begun[1]), docs, collector });
    } else if (BROKEN.test(line) && silent) {
      collector.add({ suite, name: "(program)", status: "failed", message: line });
      silent = false;
    } else if (TARGET.test(line) || DOCS.test(line)) {
      leave();
      enter(line);
    } else if (seen && !silent && isOfProgram(line)) {
      problem ??= "a result in it belongs to no test program";
    }
  }

  function enter(line: string): void {
    const [, path = "", file = path] = TARGET.exec(line) ?? [];
    const crate = DOCS.exec(line)?.[1];
    const name = file.replace(/^.*[/\\]/, "").replace(/-[0-9a-f]{16}(\.exe)?$/, "");
    const found =
      crate === undefined ? `${name} (${path.replaceAll("\\", "/")})` : `${crate} (doc)`;
    // Two packages of a workspace may each have a tests/cli.rs; their order is always the same.
    const number = (suites.get(found) ?? 0) + 1;
    suites.set(found, number);
    suite = number === 1 ? found : `${found} #${number}`;
    docs = new Map();
    silent = true;
  }

  function leave(): void {
    problem ??= program?.end() ?? null;
    program = null;
  }

  return {
    write: (chunk) => lines.write(chunk),
    seen: () => seen,
    end() {
      lines.end();
      leave();
      return problem ?? (seen ? null : "it has no result of a test program");
    },
  };
}
