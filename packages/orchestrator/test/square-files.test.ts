import type { CommandRun, Verification } from "@ccw-loop/core";
import { describe, expect, test } from "vitest";
import { cellRun, type Judged } from "../src/proof/cells.ts";
import { type Texts, weakenedInside } from "../src/proof/square-files.ts";

const source = (body: string, expected = 190) =>
  `pub fn vat() -> u64 { ${body} }\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn taxes() {\n        assert_eq!(super::vat(), ${expected});\n    }\n}\n`;

describe("tests inside of a source that is gone", () => {
  const weakened = (texts: [string, { before: string | null; after: string | null }][]) => {
    const all: Texts = new Map(texts);
    return weakenedInside([...all.keys()], all).map(({ path }) => path);
  };
  const gone = { before: source("0"), after: null };

  test("may stand in a new one, as they were", () => {
    expect(
      weakened([
        ["vat.rs", gone],
        ["vat/mod.rs", { before: null, after: source("190") }],
      ]),
    ).toEqual([]);
    expect(
      weakened([
        ["vat.rs", gone],
        ["vat/mod.rs", { before: null, after: source("0", 0) }],
      ]),
    ).toEqual(["vat.rs"]);
  });

  test("may not stand in one that was there, where nothing says which of them are run", () => {
    const other = { before: source("1"), after: `${source("1")}\nmod vat {\n${source("190")}}\n` };
    expect(
      weakened([
        ["vat.rs", gone],
        ["lib.rs", other],
      ]),
    ).toEqual(["vat.rs"]);
  });

  test("may be gone with it, for no other test can have their names", () => {
    expect(
      weakened([
        ["vat.rs", gone],
        ["lib.rs", { before: "mod vat;\n", after: "" }],
      ]),
    ).toEqual([]);
  });
});

describe("a command that came to no test in the baseline", () => {
  const command = (verdict: CommandRun["verdict"], report: string | null): CommandRun => ({
    ...{ command: "cargo test", exit_code: verdict === "passed" ? 0 : 101, duration_ms: 1 },
    ...{ report, runner: null, verdict, reason: "" },
    counts: { total: 0, passed: 0, failed: 0, skipped: 0 },
  });
  const states = (before: CommandRun, now: CommandRun) => {
    const state = {
      settings: {},
      baseline: { commands: [before], tests: {} },
    } as unknown as Judged;
    const run = { tests: [], commands: [now], passed: true, reason: "" };
    return cellRun(state, run as unknown as Verification).tests;
  };

  test("is a test of its own, also where it has a report now", () => {
    const silent = command("untrusted", null);
    expect(states(silent, command("passed", "libtest"))).toEqual({ "$ cargo test": "passed" });
    expect(states(silent, command("untrusted", "libtest"))).toEqual({ "$ cargo test": "failed" });
    expect(states(command("untrusted", "libtest"), command("passed", "libtest"))).toEqual({});
  });
});
