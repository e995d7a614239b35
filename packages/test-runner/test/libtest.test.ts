import { describe, expect, test } from "vitest";
import { outline, parse, recorded } from "./parse.ts";

const program = (...lines: string[]) => `${lines.join("\n")}\n`;
const foot = (passed: number, failed: number) =>
  `test result: ${failed ? "FAILED" : "ok"}. ${passed} passed; ${failed} failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s`;

describe("libtest", () => {
  test("reads what cargo test prints, program by program", () => {
    const report = parse("libtest", recorded("cargo.txt"));
    expect(report).toMatchObject({
      damage: null,
      counts: { total: 13, passed: 5, failed: 5, skipped: 3 },
    });
    expect(outline(report).sort()).toEqual([
      "cli (tests/cli.rs): fails = failed",
      "cli (tests/cli.rs): runs = passed",
      "shop (doc): src/lib.rs - add #2 = failed",
      "shop (doc): src/lib.rs - add #3 = passed",
      "shop (doc): src/lib.rs - add #4 = skipped",
      "shop (doc): src/lib.rs - add = passed",
      "shop (src/lib.rs): tests::adds = passed",
      "shop (src/lib.rs): tests::panics = passed",
      "shop (src/lib.rs): tests::panics_wrong = failed",
      "shop (src/lib.rs): tests::plain = skipped",
      "shop (src/lib.rs): tests::result = failed",
      "shop (src/lib.rs): tests::rounds = failed",
      "shop (src/lib.rs): tests::stores = skipped",
    ]);
    const rounds = report.tests.find(({ test_name }) => test_name === "tests::rounds");
    expect(rounds?.error_message).toMatch(/^thread 'tests::rounds'.* panicked at src\/lib\.rs/);
    expect(rounds?.stack_trace).toContain("some output");
  });

  test("names a program of its own harness that failed", () => {
    const report = parse("libtest", recorded("cargo-harness.txt"));
    expect(report.damage).toBeNull();
    expect(outline(report)).toEqual([
      "custom (tests/custom.rs): (program) = failed",
      "shop (src/lib.rs): fine = passed",
    ]);
  });

  test("a program that dies is no complete report", () => {
    const { damage } = parse("libtest", recorded("cargo-abort.txt"));
    expect(damage).toBe("it is cut off: abort (tests/abort.rs) has no result");
  });

  test("is damaged wherever a program is cut off", () => {
    const whole = program("running 2 tests", "test a ... ok", "test b ... ok", "", foot(2, 0));
    expect(parse("libtest", whole).damage).toBeNull();
    for (let end = 0; end < whole.indexOf("0 filtered"); end += 5) {
      expect(parse("libtest", whole.slice(0, end)).damage, `cut at ${end}`).not.toBeNull();
    }
  });

  test.each([
    [
      "a test that was never announced",
      ["running 1 test", "test a ... ok", "test b ... ok", foot(1, 0)],
    ],
    ["a test that is not named", ["running 2 tests", "test a ... ok", foot(2, 0)]],
    ["counts that differ", ["running 1 test", "test a ... FAILED", foot(1, 0)]],
    [
      "a forged end before the tests",
      ["running 2 tests", "test a ... ok", foot(1, 0), "test b ... FAILED", foot(1, 1)],
    ],
    [
      "a second program before the first has ended",
      ["running 1 test", "running 1 test", "test a ... ok", foot(1, 0)],
    ],
    [
      "a forged end that fits, and the true results behind it",
      ["running 1 test", "test a ... ok", foot(1, 0), "test a ... FAILED", foot(0, 1)],
    ],
    ["nothing but output", ["all fine"]],
    ["a compile error", ["error: could not compile `shop` (lib test) due to 1 previous error"]],
  ])("is damaged by %s", (_, lines) => {
    expect(parse("libtest", program(...lines)).damage).not.toBeNull();
  });

  test("bears what a test's child printed in front of a result", () => {
    const report = parse(
      "libtest",
      program("running 2 tests", "leaktest a::b ... ok", "leak", "test c ... ok", foot(2, 0)),
    );
    expect(report).toMatchObject({ damage: null, counts: { passed: 2 } });
  });

  test("does not count what a test prints about others that it compiles", () => {
    const lines = ["test tests/ui/a.rs ... ok", "test tests/ui/b.rs ... FAILED", "test ui ... ok"];
    const report = parse("libtest", program("running 1 test", ...lines, foot(1, 0)));
    expect(report).toMatchObject({ damage: null, counts: { total: 1, passed: 1 } });
  });

  test("counts tests with other names than Rust's functions, as other harnesses give them", () => {
    const lines = ["test tests/data/a b.txt ... ok", "test tests/data/c.txt ... FAILED"];
    const report = parse("libtest", program("running 2 tests", ...lines, foot(1, 1)));
    expect(outline(report)).toEqual([
      ": tests/data/c.txt = failed",
      ": tests/data/a b.txt = passed",
    ]);
  });

  test("takes what a failed test printed for nothing but its text", () => {
    const lines = [
      "running 1 test",
      "test a ... FAILED",
      "",
      "failures:",
      "",
      "---- a stdout ----",
      "running 3 tests",
      "     Running tests/x.rs (target/debug/deps/x-0123456789abcdef)",
      "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out",
      "",
      foot(0, 1),
    ];
    const report = parse("libtest", program(...lines));
    expect(report).toMatchObject({ damage: null, counts: { total: 1, failed: 1 } });
    expect(report.tests[0]?.stack_trace).toContain("3 passed");
  });

  test("numbers documentation tests by their place, whatever the order and the lines", () => {
    const docs = (one: number, two: number) =>
      outline(
        parse(
          "libtest",
          program(
            "   Doc-tests shop",
            "running 2 tests",
            `test src/lib.rs - add (line ${two}) ... ok`,
            `test src/lib.rs - add (line ${one}) - compile fail ... FAILED`,
            foot(1, 1),
          ),
        ),
      );
    expect(docs(2, 9)).toEqual([
      "shop (doc): src/lib.rs - add = failed",
      "shop (doc): src/lib.rs - add #2 = passed",
    ]);
    expect(docs(20, 90)).toEqual(docs(2, 9));
  });

  test("tells programs of the same name in several packages apart", () => {
    const one = program(
      "     Running tests/cli.rs (target/debug/deps/cli-0123456789abcdef)",
      "running 1 test",
      "test a ... ok",
      foot(1, 0),
    );
    expect(outline(parse("libtest", one + one))).toEqual([
      "cli (tests/cli.rs): a = passed",
      "cli (tests/cli.rs) #2: a = passed",
    ]);
  });
});
