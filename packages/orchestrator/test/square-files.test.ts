import { type CommandRun, objectionOf, type Verification } from "@ccw-loop/core";
import { describe, expect, test } from "vitest";
import { cellRun, isTest, type Judged, withReason } from "../src/proof/cells.ts";
import type { StartAndPresent } from "../src/proof/rooms.ts";
import { factsOf, lostInSourceTests, type Texts } from "../src/proof/square-files.ts";

const source = (body: string, expected = 190) =>
  `pub fn vat() -> u64 { ${body} }\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn taxes() {\n        assert_eq!(super::vat(), ${expected});\n    }\n}\n`;

describe("tests inside of a source that is gone", () => {
  const weakened = (texts: [string, { before: string | null; after: string | null }][]) => {
    const all: Texts = new Map(texts);
    return lostInSourceTests([...all.keys()], all).map(({ path }) => path);
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
    // It ended before its last test: that it comes to the end is what the change does.
    const passed = command("passed", "libtest");
    expect(states(command("untrusted", "libtest"), passed)).toEqual({ "$ cargo test": "passed" });
    expect(states(command("tests_failed", "libtest"), passed)).toEqual({});
  });
});

describe("a file that could not be loaded in the baseline", () => {
  const LOADING = "test/shop.test.js > (file)";
  const states = (tests: Readonly<Record<string, "passed" | "failed">>) => {
    const state = { settings: {}, baseline: { commands: [], tests: { [LOADING]: "failed" } } };
    const reported = Object.entries(tests).map(([id, status]) => {
      const [suite = "", test_name = ""] = id.split(" > ");
      return { suite, test_name, file: null, status };
    });
    const run = { tests: reported, commands: [], passed: true, reason: "" };
    return cellRun(state as unknown as Judged, run as unknown as Verification).tests[LOADING];
  };

  test("is green once its tests are reported, and as red as the run says", () => {
    expect(states({ "test/shop.test.js > adds": "passed" })).toBe("passed");
    expect(states({ "test/shop.test.js > adds": "failed" })).toBe("passed");
    expect(states({ "test/other.test.js > adds": "passed" })).toBeUndefined();
    expect(states({ [LOADING]: "failed", "test/shop.test.js > adds": "passed" })).toBe("failed");
  });

  test("is no test, nor is a command", () => {
    const commands = [{ command: "npm run lint" }] as CommandRun[];
    const ids = [LOADING, "$ npm run lint", "test/shop.test.js > adds"];
    expect(ids.filter((id) => isTest(id, commands))).toEqual(["test/shop.test.js > adds"]);
  });
});

describe("an objection of the verdict", () => {
  const run = (error_message: string | null) => {
    const test = { suite: "test/shop.test.js", test_name: "adds", status: "failed", error_message };
    return { tests: [test] } as unknown as Verification;
  };
  const about = (kind: string, run: Verification | undefined, id = "test/shop.test.js > adds") =>
    withReason(objectionOf(kind, [id], "1 test does not pass"), run).message;

  test("says what its first test said in the clean room", () => {
    const error = `\n  ENOENT: no such file, open 'prices.json'\n    at readFileSync`;
    expect(about("verdict", run(error))).toBe(
      "1 test does not pass: test/shop.test.js > adds. In the clean room: ENOENT: no such file, open 'prices.json'",
    );
    expect(about("verdict", run("x".repeat(1000))).length).toBeLessThan(400);
  });

  test("says no more where that is not known, and no other one does", () => {
    const plain = "1 test does not pass: test/shop.test.js > adds.";
    for (const given of [run(null), run(" \n"), undefined]) {
      expect(about("verdict", given)).toBe(plain);
    }
    expect(about("in_place", run("no"))).toBe(plain);
    expect(about("verdict", run("no"), "other")).toBe("1 test does not pass: other.");
  });
});

describe("a data file of the start", () => {
  const facts = (texts: { before: string; after: string }) => {
    const files = { start: texts.before, present: texts.after };
    const read = async (commit: keyof typeof files, paths: readonly string[]) =>
      new Map(paths.map((path) => [path, new TextEncoder().encode(files[commit])]));
    const workspace = { paths: async () => ["src/cart.js"], read };
    const place = { workspace } as unknown as Parameters<typeof factsOf>[0];
    const ends = {
      start: { commit: "start" },
      present: { commit: "present" },
    } as unknown as StartAndPresent;
    return { place, ends };
  };

  test("is named by what sources said then, and a new one by what they say now", async () => {
    const { place, ends } = facts({ before: "// rates.json", after: "// examples.txt new.txt" });
    const paths = ["src/cart.js", "rates.json", "examples.txt"];
    Object.assign(place.workspace, { paths: async () => paths });
    const texts = new Map([...paths, "new.txt"].map((path) => [path, { before: "", after: "" }]));
    const state = { settings: {}, baseline: null } as unknown as Judged;
    const { namedIn } = await factsOf(place, state, { ends, texts, present: [] });
    expect(namedIn("rates.json")).toContain("src/cart.js");
    expect(namedIn("examples.txt")).toEqual([]);
    expect(namedIn("new.txt")).toContain("src/cart.js");
  });
});
