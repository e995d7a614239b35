import { execFile, execFileSync } from "node:child_process";
import { mkdir, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { readReports } from "../src/reports/report.ts";
import { runPlan } from "../src/run-plan.ts";
import { outline, parse, recorded } from "./parse.ts";
import { run, SETTINGS } from "./plan.ts";
import { project } from "./project.ts";

test("a report of two gigabytes is not read", async () => {
  const dir = await project({ "report.xml": "<testsuite>" });
  await truncate(join(dir, "report.xml"), 2 ** 31);
  const { signal } = new AbortController();
  const report = await readReports([join(dir, "report.xml")], "junit", { cwd: dir, signal });
  expect(report.damage).toBe("it is larger than 1 GB");
});

test("a report that says passed does not outweigh exit code 1", async () => {
  const dir = await project({ report: '<testsuite><testcase name="a"/></testsuite>' });
  const result = await run(dir, "cat report; exit 1");
  expect(result).toMatchObject({ passed: false, commands: [{ verdict: "untrusted" }] });
  expect(result.reason).toBe("The report has no failed test, but the command exited with 1.");
});

test.each(["package.json", "Makefile", "pytest.ini"])(
  "a pipe in the place of %s delays no search for tests",
  { timeout: 30_000 },
  async (name) => {
    const dir = await project({});
    execFileSync("mkfifo", [join(dir, name)]);
    // In a process of its own: what waits for a pipe there must not hang this one.
    const url = new URL("../src/detect/detect.ts", import.meta.url);
    const program = `const { detect } = await import(${JSON.stringify(url.href)}); await detect(process.argv[1]);`;
    const args = ["--input-type=module", "--eval", program, dir];
    await promisify(execFile)(process.execPath, args, { timeout: 20_000 });
  },
);

test("reading a report ends when the run is aborted", async () => {
  const dir = await project({});
  await mkdir(join(dir, "target", "surefire-reports"), { recursive: true });
  const file = join(dir, "target", "surefire-reports", "TEST-a.xml");
  await writeFile(file, "<testsuite>");
  await truncate(file, 900 * 1024 * 1024);
  const abort = new AbortController();
  const command = `touch ${file}; echo written`;
  const verifying = runPlan(
    { command, source: "given", parts: [{ command, report: "maven" }] },
    {
      cwd: dir,
      signal: abort.signal,
      timeoutMs: 60_000,
      onOutput: () => setTimeout(() => abort.abort(new Error("enough")), 100),
    },
    SETTINGS,
  );
  await expect(verifying).rejects.toThrow("enough");
});

describe("text that is no UTF-8", () => {
  const xml = (encoding: string) =>
    `<?xml version="1.0" encoding="${encoding}"?><testsuite><testcase name="grüßt"/></testsuite>`;

  test.each<[string, Buffer]>([
    ["declared Latin-1", Buffer.from(xml("ISO-8859-1"), "latin1")],
    ["UTF-16 with a byte order mark", Buffer.from(`\uFEFF${xml("utf-16")}`, "utf16le")],
    ["UTF-16 without one", Buffer.from(xml("utf-16"), "utf16le")],
    ["UTF-8 that calls itself UTF-16", Buffer.from(xml("utf-16"))],
    ["UTF-8 with a byte order mark", Buffer.from(`\uFEFF${xml("utf-8")}`)],
  ])("is read as it says: %s", (_, bytes) => {
    for (const size of [1, 7, 4096]) {
      expect(outline(parse("junit", bytes, size)), `${size} at a time`).toEqual([
        ": grüßt = passed",
      ]);
    }
  });

  test("is refused in an encoding that nobody knows", () => {
    expect(parse("junit", xml("klingon")).damage).toBe('its encoding "klingon" is unknown');
  });

  test("keeps its tests where some bytes are wrong", () => {
    const bytes = Buffer.from(xml("utf-8").replace("grüßt", "gr\xfc"), "latin1");
    expect(parse("junit", bytes)).toMatchObject({ damage: null, counts: { passed: 1 } });
    const tap = Buffer.concat([Buffer.from("1..1\nok 1 gr"), Buffer.from([0xfc, 0, 10])]);
    expect(outline(parse("tap", tap))).toEqual([": gr\ufffd = passed"]);
  });
});

describe("names", () => {
  const MEGABYTE = 1024 * 1024;

  test("of any length are cut", () => {
    const name = "n".repeat(900_000);
    const reports = [
      parse("junit", `<testsuite><testcase name="${name}"/></testsuite>`, MEGABYTE),
      parse(
        "trx",
        `<TestRun><UnitTestResult testName="${name}" outcome="Passed"/><ResultSummary outcome="Completed"/></TestRun>`,
        MEGABYTE,
      ),
      parse(
        "jest-json",
        `{"testResults":[{"assertionResults":[{"title":"${name}","status":"passed"}]}]}`,
        MEGABYTE,
      ),
    ];
    for (const report of reports) {
      expect(report.damage).toBeNull();
      expect(report.tests[0]?.test_name.length).toBeLessThan(1100);
    }
  });

  test("beyond a megabyte refuse an XML report", () => {
    const name = "n".repeat(3 * MEGABYTE);
    const report = parse("junit", `<testsuite><testcase name="${name}"/></testsuite>`, MEGABYTE);
    expect(report.damage).toContain("Max buffer length exceeded");
  });
});

test.each(["trx", "junit"] as const)("%s replaces no entity and follows no file", (format) => {
  const bomb = `<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "${"&a;".repeat(1000)}">]><a>&b;</a>`;
  const file = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>';
  for (const text of [bomb, file]) expect(parse(format, text).damage).toContain("document type");
  expect(parse(format, "<a>".repeat(200)).damage).toContain("nested too deeply");
});

test.each([
  ["junit", "surefire.xml"],
  ["trx", "dotnet.trx"],
  ["jest-json", "jest.json.txt"],
] as const)("a %s that is followed by something else is damaged", (format, file) => {
  expect(parse(format, recorded(file)).damage).toBeNull();
  expect(parse(format, `${recorded(file)}<more/>`).damage).not.toBeNull();
});
