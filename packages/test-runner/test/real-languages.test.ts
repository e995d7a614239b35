/** @module-tag slow */
import type { Verification } from "@ccw-loop/core";
import { works } from "@ccw-loop/testkit";
import { describe, expect, test } from "vitest";
import { detectAndRun } from "./plan.ts";
import { project } from "./project.ts";

/** Real runs, where the machine has the tool; `fixtures/reports` holds what each of them wrote. */
const TIMEOUT_MS = 120_000;

async function runProject(
  files: Record<string, string>,
): Promise<{ result: Verification; outline: string[] }> {
  const result = await detectAndRun(await project(files));
  const outline = result.tests.map((one) => `${one.suite}: ${one.test_name} = ${one.status}`);
  return { result, outline: outline.sort() };
}

describe.runIf(works("python3", "--version"))("unittest", { timeout: TIMEOUT_MS }, () => {
  const passing = `
import unittest
class Bill(unittest.TestCase):
    def test_add(self):
        self.assertEqual(1 + 1, 2)
    @unittest.skip("later")
    def test_ship(self):
        pass
`;

  test("passes, and prints what it always does", async () => {
    const { result, outline } = await runProject({ "test_bill.py": passing });
    expect(result).toMatchObject({ command: "python3 -m unittest", passed: true });
    expect(outline).toEqual([
      "test_bill.Bill: test_add = passed",
      "test_bill.Bill: test_ship = skipped",
    ]);
    expect(result.output_tail).toMatch(/Ran 2 tests .*\n\nOK \(skipped=1\)/);
  });

  test("fails with the names of subtests' tests, broken classes and modules", async () => {
    const failing = `${passing}
    def test_all(self):
        for n in range(3):
            with self.subTest(n=n):
                self.assertEqual(n, 1)
class Broken(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise RuntimeError("no database")
    def test_never(self):
        pass
`;
    const { result, outline } = await runProject({
      "tests/test_bill.py": failing,
      "tests/test_import.py": "import unittest, nowhere",
    });
    expect(result.commands[0]?.verdict).toBe("tests_failed");
    expect(outline).toEqual([
      ": setUpClass (test_bill.Broken) = failed",
      "test_bill.Bill: test_add = passed",
      "test_bill.Bill: test_all = failed",
      "test_bill.Bill: test_ship = skipped",
      "test_import: (file) = failed",
    ]);
  });

  test("does not pass when a test ends the process", async () => {
    const { result } = await runProject({
      "test_a.py": `import os\n${passing}\n    def test_quit(self):\n        os._exit(0)\n`,
    });
    expect(result).toMatchObject({ passed: false, exit_code: 0 });
    expect(result.reason).toContain("cut off");
  });
});

test.runIf(works("pytest", "--version"))("pytest", { timeout: TIMEOUT_MS }, async () => {
  const { result, outline } = await runProject({
    "conftest.py": "",
    "test_a.py": "def test_add():\n    assert 1 + 1 == 3\n",
  });
  expect(outline).toEqual(["test_a: test_add = failed"]);
  expect(result.commands[0]).toMatchObject({ verdict: "tests_failed", exit_code: 1 });
});

test.runIf(works("cargo", "--version"))("cargo test", { timeout: TIMEOUT_MS }, async () => {
  const { result, outline } = await runProject({
    "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/lib.rs": `
      #[test] fn adds() { assert_eq!(1 + 1, 2); }
      #[test] fn rounds() { assert_eq!(1 + 1, 3); }
      #[test] #[ignore] fn ships() {}
    `,
    "tests/cli.rs": "#[test] fn runs() {}",
  });
  expect(outline).toEqual([
    "cli (tests/cli.rs): runs = passed",
    "shop (src/lib.rs): adds = passed",
    "shop (src/lib.rs): rounds = failed",
    "shop (src/lib.rs): ships = skipped",
  ]);
  expect(result.commands[0]).toMatchObject({ verdict: "tests_failed", exit_code: 101 });
  expect(result.tests[0]?.error_message).toContain("panicked at src/lib.rs:3");
});

test.runIf(works("go", "version"))("go test", { timeout: TIMEOUT_MS }, async () => {
  const { result, outline } = await runProject({
    "go.mod": "module shop\n\ngo 1.19\n",
    "bill/bill_test.go": `package bill
import ("fmt"; "testing")
func TestAdd(t *testing.T) { fmt.Println("--- PASS: TestForged (0.00s)") }
func TestRound(t *testing.T) { t.Fatal("wrong") }
func TestShip(t *testing.T) { t.Skip("later") }
`,
    "cart/cart_test.go": "package cart\nfunc broken( {",
  });
  expect(outline).toEqual([
    "shop/bill: TestAdd = passed",
    "shop/bill: TestRound = failed",
    "shop/bill: TestShip = skipped",
    "shop/cart: (package) = failed",
  ]);
  expect(result.commands[0]?.verdict).toBe("tests_failed");
});

test.runIf(works("phpunit", "--version"))("phpunit", { timeout: TIMEOUT_MS }, async () => {
  const { result, outline } = await runProject({
    "phpunit.xml":
      '<phpunit><testsuites><testsuite name="unit"><directory>tests</directory></testsuite></testsuites></phpunit>',
    "tests/BillTest.php": `<?php
      final class BillTest extends PHPUnit\\Framework\\TestCase {
        public function testAdds(): void { $this->assertSame(2, 1 + 1); }
        public function testRounds(): void { $this->assertSame(3, 1 + 1); }
        public function testShips(): void { $this->markTestSkipped("later"); }
      }`,
  });
  expect(outline).toEqual([
    "BillTest: testAdds = passed",
    "BillTest: testRounds = failed",
    "BillTest: testShips = skipped",
  ]);
  expect(result.commands[0]?.verdict).toBe("tests_failed");
  expect(result.output_tail).toContain("Failed asserting that 2 is identical to 3");
});

describe.runIf(works("rspec", "--version"))("rspec", { timeout: TIMEOUT_MS }, () => {
  test("fails by its examples, and by a file that cannot be loaded", async () => {
    const spec =
      'RSpec.describe("Bill") { it("adds") { }\n it("rounds") { expect(2).to eq(3) }\n it("ships") }';
    const options = { ".rspec": "--format documentation\n" };
    const { result, outline } = await runProject({ ...options, "spec/bill_spec.rb": spec });
    expect(outline).toEqual([
      "spec/bill_spec.rb: Bill adds = passed",
      "spec/bill_spec.rb: Bill rounds = failed",
      "spec/bill_spec.rb: Bill ships = skipped",
    ]);
    expect(result.commands[0]?.verdict).toBe("tests_failed");
    const broken = await runProject({ ...options, "spec/bill_spec.rb": "raise 'at load'" });
    expect(broken.result.commands[0]?.verdict).toBe("tests_failed");
    expect(broken.outline).toEqual(["spec/bill_spec.rb: (file) = failed"]);
  });
});
