/** @module-tag slow */
import { works } from "@ccw-loop/testkit";
import { describe, expect, test } from "vitest";
import { detectAndRun } from "./plan.ts";
import { project } from "./project.ts";

/** minitest, test-unit and RSpec, by themselves and behind rake. */
const TIMEOUT_MS = 60_000;
const has = (library: string) => works("ruby", "-e", `require "${library}"`);

const RAKE = `require "rake/testtask"
Rake::TestTask.new(:test) { |t| t.pattern = "test/**/*_test.rb" }
`;
const named = (tests: readonly { suite: string; test_name: string; status: string }[]) =>
  tests.map((one) => `${one.suite} > ${one.test_name}: ${one.status}`).sort();
const runProject = async (files: Record<string, string>, given?: string) =>
  detectAndRun(await project(files), given);

const LIBRARIES = [
  {
    name: "minitest",
    library: "minitest",
    load: "minitest/autorun",
    parent: "Minitest::Test",
    skip: 'skip "later"',
  },
  {
    name: "test-unit",
    library: "test-unit",
    load: "test/unit",
    parent: "Test::Unit::TestCase",
    skip: 'omit "later"',
  },
];

describe.each(LIBRARIES)("$name", { timeout: TIMEOUT_MS }, ({ library, load, parent, skip }) => {
  const isHere = has(library) && works("rake", "--version");
  const suite = (name: string, body: string) =>
    `require "${load}"\nclass ${name}Test < ${parent}\n${body}\nend\n`;
  const good = suite("Bill", "  def test_adds\n    assert_equal 2, 1 + 1\n  end");
  const bad = suite(
    "Cart",
    `  def test_halves\n    assert_equal 3, 4 / 2\n  end\n  def test_ships\n    ${skip}\n  end\n  def test_breaks\n    raise "no database"\n  end`,
  );

  test.skipIf(!isHere)("names tests by file behind rake, and by a file", async () => {
    const files = { Rakefile: RAKE, "test/bill_test.rb": good, "test/cart_test.rb": bad };
    const result = await runProject(files, "rake test");
    expect(result).toMatchObject({ passed: false, report: "event-lines" });
    expect(result.commands[0]?.verdict, result.reason).toBe("tests_failed");
    expect(named(result.tests)).toEqual([
      "test/bill_test.rb > BillTest > test_adds: passed",
      "test/cart_test.rb > CartTest > test_breaks: failed",
      "test/cart_test.rb > CartTest > test_halves: failed",
      "test/cart_test.rb > CartTest > test_ships: skipped",
    ]);
    expect(result.tests.map((one) => one.error_message).join()).toContain("no database");
    expect(result.tests.map((one) => one.stack_trace).join()).toContain("cart_test.rb:4");
    const one = await runProject(files, "ruby -Itest test/bill_test.rb");
    expect(one).toMatchObject({ passed: true, counts: { total: 1, passed: 1 } });
  });

  test.skipIf(!isHere)("does not pass where a file breaks or its process ends", async () => {
    for (const text of [
      'raise "at load"',
      `${good}\nexit!(0)`,
      good.replace("assert_equal 2, 1 + 1", "exit!(0)"),
      good.replace("assert_equal 2, 1 + 1", 'puts "1 runs, 1 assertions, 0 failures"; exit!(0)'),
      `${good}\nProcess.kill(:KILL, $$)`,
      good.replace("assert_equal 2, 1 + 1", "Process.kill(:INT, $$); sleep 1"),
      good.replace("assert_equal 2, 1 + 1", "exit 0"),
      suite("Empty", ""),
    ]) {
      const result = await runProject({ Rakefile: RAKE, "test/bill_test.rb": text }, "rake test");
      expect(result.passed, `${text}: ${result.reason}`).toBe(false);
      const alone = await runProject({ "test/bill_test.rb": text }, "ruby test/bill_test.rb");
      expect(alone.passed, `alone: ${text}: ${alone.reason}`).toBe(false);
    }
  });

  test.skipIf(!isHere)(
    "counts no run that a test starts, and each of several processes",
    async () => {
      const outer = suite(
        "Outer",
        '  def test_outer\n    assert_equal false, system("ruby", "inner.rb")\n  end',
      );
      const files = { "inner.rb": bad, "test/outer_test.rb": outer, "test/bill_test.rb": good };
      const script = "for file in test/*_test.rb; do ruby $file || exit 1; done";
      const result = await runProject(files, script);
      expect(result.passed, result.reason).toBe(true);
      expect(named(result.tests)).toEqual([
        "test/bill_test.rb > BillTest > test_adds: passed",
        "test/outer_test.rb > OuterTest > test_outer: passed",
      ]);
    },
  );
});

describe("RSpec behind a script", { timeout: TIMEOUT_MS }, () => {
  const isHere = works("rspec", "--version");
  const group = (body: string) => `RSpec.describe "bill" do\n  it("adds") { ${body} }\nend\n`;
  const rake = 'task(:spec) { sh "rspec" }\n';

  test.skipIf(!isHere)("names tests by file", async () => {
    const result = await runProject(
      {
        Rakefile: rake,
        "spec/bill_spec.rb": group("expect(1 + 1).to eq 3"),
        "spec/cart_spec.rb": 'RSpec.describe("cart") { it "ships"; it("holds") { } }',
      },
      "rake spec",
    );
    expect(result).toMatchObject({ passed: false, report: "event-lines" });
    expect(result.commands[0]?.verdict, result.reason).toBe("tests_failed");
    expect(named(result.tests)).toEqual([
      "spec/bill_spec.rb > bill adds: failed",
      "spec/cart_spec.rb > cart holds: passed",
      "spec/cart_spec.rb > cart ships: skipped",
    ]);
  });

  test.skipIf(!isHere)("does not pass where a file breaks or its process ends", async () => {
    for (const text of [
      'raise "at load"',
      "exit!(0)",
      group("exit!(0)"),
      group("exit 0"),
      `exit 0`,
    ]) {
      for (const given of ["rake spec", "rspec"]) {
        const files = { Rakefile: rake, "spec/a_spec.rb": group(""), "spec/bill_spec.rb": text };
        const result = await runProject(files, given);
        expect(result.passed, `${given}: ${text}: ${result.reason}`).toBe(false);
      }
    }
  });
});
