/** @module-tag slow */
import { works } from "@ccw-loop/testkit";
import { describe, expect, test } from "vitest";
import { detectAndRun } from "./plan.ts";
import { project } from "./project.ts";

/** Bats, the harness of Perl, and ctest. */
const TIMEOUT_MS = 60_000;
const named = (tests: readonly { suite: string; test_name: string; status: string }[]) =>
  tests.map((one) => `${one.suite} > ${one.test_name}: ${one.status}`).sort();
const runProject = async (files: Record<string, string>, given?: string) =>
  detectAndRun(await project(files), given);

describe.skipIf(!works("bats", "--version"))("bats", { timeout: TIMEOUT_MS }, () => {
  const good = '@test "adds" {\n  [ $((1 + 1)) -eq 2 ]\n}\n';

  test("names the tests, whatever they print", async () => {
    const result = await runProject({
      "test/bill.bats": `${good}@test "halves" {\n  echo "ok 2 halves"\n  [ 2 -eq 3 ]\n}\n`,
      "test/cart.bats": '@test "ships" {\n  skip later\n}\n',
    });
    expect(result).toMatchObject({ command: "bats test", passed: false, report: "tap" });
    expect(result.commands[0]?.verdict, result.reason).toBe("tests_failed");
    expect(named(result.tests)).toEqual([
      " > adds: passed",
      " > halves: failed",
      " > ships: skipped",
    ]);
    expect(await runProject({ "test/bill.bats": good })).toMatchObject({ passed: true });
  });

  test("does not pass where a file breaks, a test ends its process or adds results", async () => {
    for (const text of [
      "exit 0\n",
      `exit 0\n${good}`,
      good.replace("[ $((1 + 1)) -eq 2 ]", "exit 0"),
      good.replace("[ $((1 + 1)) -eq 2 ]", 'echo "ok 1 adds" >&3; kill -9 $PPID'),
      good.replace("[ $((1 + 1)) -eq 2 ]", 'echo "ok 2 more" >&3'),
    ]) {
      const result = await runProject({ "test/bill.bats": text });
      expect(result.passed, `${text}: ${result.reason}`).toBe(false);
    }
  });

  test("counts no run that a test starts", async () => {
    const outer = '@test "outer" {\n  run bats inner.bats\n  [ "$status" -eq 1 ]\n}\n';
    const inner = '@test "inner" {\n  false\n}\n';
    const result = await runProject({ "test/a.bats": outer, "inner.bats": inner }, "bats test");
    expect(named(result.tests)).toEqual([" > outer: passed"]);
    expect(result.passed, result.reason).toBe(true);
  });
});

describe.skipIf(!works("prove", "--version"))("prove", { timeout: TIMEOUT_MS }, () => {
  const good = "use Test::More tests => 1;\nok(1, 'adds');\n";

  test("names tests by file, by itself and behind make, and prints what it always does", async () => {
    const files = {
      "t/bill.t":
        "use Test::More;\nok(1, 'adds');\nis(1, 2, 'halves');\nSKIP: { skip 'later', 1 }\ndone_testing;\n",
      "t/cart.t": good,
      "t/deep/broken.t": "die 'at load';\n",
      Makefile: "check:\n\tprove -r t\n",
    };
    for (const given of [undefined, "make check"]) {
      const result = await runProject(files, given);
      expect(result).toMatchObject({ passed: false, report: "event-lines" });
      expect(result.commands[0]?.verdict, result.reason).toBe("tests_failed");
      expect(named(result.tests)).toEqual([
        "t/bill.t > adds: passed",
        "t/bill.t > halves: failed",
        "t/bill.t > test 3: skipped",
        "t/cart.t > adds: passed",
        "t/deep/broken.t > (file): failed",
      ]);
      expect(result.output_tail).toContain("Result: FAIL");
    }
    expect(await runProject({ "t/cart.t": good })).toMatchObject({
      command: "prove -lvr t",
      passed: true,
      counts: { total: 1, passed: 1 },
    });
  });

  test("does not pass where a process ends before its tests", async () => {
    for (const text of [
      "use Test::More tests => 2;\nok(1, 'adds');\nexit 0;\n",
      "use Test::More;\nok(1, 'adds');\nexit 0;\n",
      "use Test::More tests => 2;\nok(1, 'adds');\nrequire POSIX;\nPOSIX::_exit(0);\n",
      `${good}kill 9, getppid;\n`,
      "exit 0;\n",
      "print qq{1..0 # SKIP no\\n};\n",
    ]) {
      const result = await runProject({ "t/bill.t": text });
      expect(result.passed, `${text}: ${result.reason}`).toBe(false);
    }
  });

  test("counts no run that a test starts", async () => {
    const outer = "use Test::More tests => 1;\nok(system('prove inner.t >&2') != 0, 'outer');\n";
    const inner = "use Test::More tests => 1;\nok(0, 'inner');\n";
    const result = await runProject({ "t/a.t": outer, "inner.t": inner });
    expect(named(result.tests)).toEqual(["t/a.t > outer: passed"]);
    expect(result.passed, result.reason).toBe(true);
  });
});

describe.skipIf(!works("ctest", "--version"))("ctest", { timeout: TIMEOUT_MS }, () => {
  const lists = (...tests: string[]) =>
    `cmake_minimum_required(VERSION 3.14)\nproject(shop NONE)\nenable_testing()\n${tests.join("\n")}\n`;
  const add = (name: string, command: string) =>
    `add_test(NAME ${name} COMMAND sh -c [[${command}]])`;

  test("configures, builds and names the tests, in a folder that Git does not see", async () => {
    const text = lists(
      add("adds", "true"),
      add("halves", "echo '<testcase name=\"forged\"/>'; exit 1"),
      add("ships", "true"),
      "set_tests_properties(ships PROPERTIES DISABLED TRUE)",
      add("later", "exit 77"),
      "set_tests_properties(later PROPERTIES SKIP_RETURN_CODE 77)",
    );
    const result = await runProject({ "CMakeLists.txt": text, ".gitignore": "/build/\n" });
    expect(result).toMatchObject({
      command:
        "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure",
      passed: false,
      counts: { total: 4, passed: 1, failed: 1, skipped: 2 },
    });
    expect(result.commands.map(({ verdict }) => verdict)).toEqual([
      "passed",
      "passed",
      "tests_failed",
    ]);
    expect(named(result.tests)).toContain("halves > halves: failed");
    const own = await runProject({ "CMakeLists.txt": lists(add("adds", "true")) });
    expect(own.command).toContain("echo '*' > cmake-build-tests/.gitignore");
    expect(own.passed, own.reason).toBe(true);
  });

  test("does not pass where nothing is built, no test is there or ctest is ended", async () => {
    for (const text of [
      lists(add("adds", "true"), "add_custom_target(lib ALL COMMAND false)"),
      lists("message(FATAL_ERROR no)"),
      lists(),
      lists("add_test(NAME adds COMMAND nowhere)"),
      lists(add("adds", "kill -9 $PPID")),
    ]) {
      const result = await runProject({ "CMakeLists.txt": text });
      expect(result.passed, `${text}: ${result.reason}`).toBe(false);
    }
  });
});
