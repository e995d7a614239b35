import { chmod, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { recorded } from "./parse.ts";
import { detectAndRun, run } from "./plan.ts";
import { project } from "./project.ts";

describe("a runner that was asked for a report", () => {
  test("does not pass without one", async () => {
    const result = await run(await project({}), "true", "vitest");
    expect(result).toMatchObject({ passed: false, exit_code: 0, report: null });
    expect(result.reason).toContain("vitest report is missing");
  });

  test.each(["mocha --reporter dot -- spec", "ava --watch", "borp -w"])(
    "does not pass without one, whatever the words of %s",
    async (script) => {
      const [name = ""] = script.split(" ");
      const dir = await project({
        "package.json": JSON.stringify({ scripts: { test: script } }),
        [`node_modules/.bin/${name}`]: "#!/bin/sh\necho 1 passing\n",
      });
      await chmod(join(dir, "node_modules/.bin", name), 0o755);
      const result = await detectAndRun(dir);
      expect(result).toMatchObject({ command: "npm test", passed: false, exit_code: 0 });
      expect(result.reason).toContain(`${name} report is missing`);
    },
  );

  test("is told by arguments, outside the project", async () => {
    const dir = await project({
      "jest.sh": 'cp report "$(echo "$2" | cut -d= -f2)"',
      report: recorded("jest.json.txt"),
    });
    const result = await run(dir, "sh jest.sh", "jest");
    expect(result).toMatchObject({ passed: true, report: "jest-json", counts: { total: 3 } });
    expect((await readdir(dir)).sort()).toEqual(["jest.sh", "report"]);
  });

  test("go is told on its own command", async () => {
    const dir = await project({
      "bin/go": '#!/bin/sh\n[ "$1 $2 $3" = "test -json -count=1" ] && cat go.jsonl\nexit 1',
      "go.jsonl": recorded("go.jsonl"),
    });
    const result = await run(dir, 'PATH="$PWD/bin:$PATH"; chmod +x bin/go; go test ./...', "go");
    expect(result).toMatchObject({ passed: false, report: "go-json", counts: { total: 5 } });
  });

  test("cargo is told to go on, and read with what it says about its programs", async () => {
    const dir = await project({
      "bin/cargo": '#!/bin/sh\n[ "$1 $2" = "test --no-fail-fast" ] && cat cargo.txt >&2\nexit 101',
      "cargo.txt": recorded("cargo.txt"),
    });
    const result = await run(dir, 'PATH="$PWD/bin:$PATH"; chmod +x bin/cargo; cargo test', "cargo");
    expect(result).toMatchObject({ report: "libtest", counts: { total: 13, failed: 5 } });
    expect(result.commands[0]?.verdict).toBe("tests_failed");
  });

  test("nextest is told by a configuration of its own", async () => {
    const dir = await project({
      "bin/cargo":
        '#!/bin/sh\n[ "$1 $2 $3" = "nextest run --tool-config-file" ] || exit 1\n' +
        'config=$(echo "$4" | cut -d: -f2)\n' +
        'cp nextest.xml "$(grep path "$config" | cut -d\\" -f2)"; exit 100',
      "nextest.xml": recorded("nextest.xml"),
    });
    const command = 'PATH="$PWD/bin:$PATH"; chmod +x bin/cargo; cargo nextest run';
    const result = await run(dir, command, "nextest");
    expect(result).toMatchObject({ report: "junit", counts: { total: 4, failed: 2 } });
    expect(result.commands[0]?.verdict).toBe("tests_failed");
  });

  test("dotnet is told a folder, in which each project writes a file", async () => {
    const dir = await project({ "dotnet.sh": 'cp a.trx "$4"; cp a.trx "$4/b.trx"; exit 1' });
    await writeFile(join(dir, "a.trx"), recorded("dotnet.trx"));
    const result = await run(dir, "sh dotnet.sh", "dotnet");
    expect(result).toMatchObject({ report: "trx", counts: { total: 10, failed: 4 } });
  });

  test.each([
    ["phpunit", "--log-junit F", "phpunit.xml", 9],
    ["bun", "--reporter=junit --reporter-outfile=F", "bun.xml", 5],
  ])("%s is told by %s", async (runner, args, file, total) => {
    const dir = await project({
      "runner.sh": `file=$(echo "$*" | sed 's/.*[ =]//'); cp recorded "$file"; echo "$*" | sed "s#$file#F#"; exit 1`,
      recorded: recorded(file),
    });
    const result = await run(dir, "sh runner.sh", runner);
    expect(result.output_tail.trim()).toBe(args);
    expect(result).toMatchObject({ passed: false, counts: { total } });
    expect(result.commands[0]?.verdict).toBe("tests_failed");
  });

  test("playwright is told by its arguments and its environment", async () => {
    const dir = await project({
      "runner.sh":
        '[ "$1" = --reporter=list,junit ] && cp report.xml "$PLAYWRIGHT_JUNIT_OUTPUT_FILE"; exit 1',
      "report.xml": recorded("playwright.xml"),
    });
    const result = await run(dir, "sh runner.sh", "playwright");
    expect(result).toMatchObject({ report: "junit", counts: { total: 10, failed: 2 } });
  });

  test("pytest is told by its environment", async () => {
    const dir = await project({ "report.xml": recorded("pytest.xml") });
    const result = await run(
      dir,
      'eval "set -- $PYTEST_ADDOPTS"; cp report.xml "$(echo "$1" | cut -d= -f2)"; exit 1',
      "pytest",
    );
    expect(result).toMatchObject({ report: "junit", counts: { total: 5, failed: 2 } });
  });

  test.each([
    ["maven", "core/target/surefire-reports", "surefire.xml", 3],
    ["gradle", "app/build/test-results/test", "gradle.xml", 2],
  ])("%s's reports of earlier runs do not count", async (runner, folder, file, total) => {
    const dir = await project({
      [`${folder}/TEST-old.xml`]: recorded(file),
      "new.xml": recorded(file),
    });
    const stale = await run(dir, "true", runner);
    expect(stale).toMatchObject({ passed: false, report: null });
    const fresh = await run(dir, `cp new.xml ${folder}/TEST-new.xml; exit 1`, runner);
    expect(fresh).toMatchObject({ report: "junit", counts: { total, failed: 1 } });
  });
});
