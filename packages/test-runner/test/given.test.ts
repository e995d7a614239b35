import { typedCommand } from "@ccw-loop/core";
import { describe, expect, test } from "vitest";
import { splitChain } from "../src/detect/chain.ts";
import { detect } from "../src/detect/detect.ts";
import { project } from "./project.ts";

describe("a given command", () => {
  test.each([
    ["npm test", "vitest"],
    ["npm run e2e", "jest"],
    ["pnpm test", "vitest"],
    ["yarn e2e", "jest"],
    ["bun run e2e", "jest"],
    ["bun test", "bun"],
    ["composer check", "phpunit"],
    ["npx vitest run a", "vitest"],
    ["npm run native", "script"],
    ["npm run unknown", "script"],
    ["npm test -- --bail", "script"],
    ["./check.sh", "script"],
  ])("knows the runner behind %s", async (command, report) => {
    const dir = await project({
      "package.json":
        '{"scripts":{"test":"tsc && vitest run","e2e":"jest -c e2e.js","native":"cargo test"}}',
      "composer.json": '{"scripts":{"check":"phpunit"}}',
    });
    const parts = [{ command, report }];
    expect(await detect(dir, command)).toEqual({ command, source: "given", parts });
  });

  test("has a report for each command of a chain", async () => {
    const dir = await project({ "package.json": '{"scripts":{"test":"vitest run"}}' });
    const command = "npm run lint && npm test && go test ./... && cargo clippy";
    expect(await detect(dir, command)).toEqual({
      command,
      source: "given",
      parts: [
        { command: "npm run lint", report: "script" },
        { command: "npm test", report: "vitest" },
        { command: "go test ./...", report: "go" },
        { command: "cargo clippy", report: "script" },
      ],
    });
  });

  test.each([
    "cd web && npm run check",
    "(cd ./web/ && npm run check)",
    "cd 'web' && npm run check",
  ])("is looked up in the folder it names: %s", async (command) => {
    const dir = await project({ "web/package.json": '{"scripts":{"check":"vitest run"}}' });
    const parts = [{ command: "npm run check", folder: "web", report: "vitest" }];
    expect(await detect(dir, command)).toEqual({ command, source: "given", parts });
  });

  test("that is not split has the report of its end", async () => {
    const command = "cd ../web && vitest run";
    const parts = [{ command, report: "vitest" }];
    expect(await detect(await project({}), command)).toMatchObject({ parts });
  });

  test("that is blank is none", async () => {
    const dir = await project({ "package.json": '{"scripts":{"test":"vitest"}}' });
    expect(await detect(dir, "  ")).toMatchObject({ source: "package.json" });
  });
});

describe("splitChain", () => {
  test.each<[string, string[]]>([
    ["npm test", ["npm test"]],
    [" tsc &&vitest run&& eslint . ", ["tsc", "vitest run", "eslint ."]],
    ["A=1 jest && B=2 mocha", ["A=1 jest", "B=2 mocha"]],
    ["mocha 'test/**/*.js' && eslint \"a && b\"", ["mocha 'test/**/*.js'", 'eslint "a && b"']],
    ["eslint src/*.{js,ts} && tsc", ["eslint src/*.{js,ts}", "tsc"]],
    ["go vet ./... 2>&1 | tee log && go test", ["go vet ./... 2>&1 | tee log", "go test"]],
    ["prettier --check $FILES && jest", ["prettier --check $FILES", "jest"]],
  ])("splits %s", (command, parts) => {
    expect(splitChain(command)).toEqual(parts.map((part) => ({ command: part })));
  });

  test.each<[string, [folder: string | undefined, command: string][]]>([
    ["cd web && vitest", [["web", "vitest"]]],
    [
      "cd web && tsc && vitest",
      [
        ["web", "tsc"],
        ["web", "vitest"],
      ],
    ],
    [
      "npm test && (cd web/app && tsc && vitest) && (cd 'my api' && pytest) && go test",
      [
        [undefined, "npm test"],
        ["web/app", "tsc"],
        ["web/app", "vitest"],
        ["my api", "pytest"],
        [undefined, "go test"],
      ],
    ],
    [
      "echo '(cd a && b)' && tsc",
      [
        [undefined, "echo '(cd a && b)'"],
        [undefined, "tsc"],
      ],
    ],
  ])("names the folders in %s", (command, parts) => {
    const folders = splitChain(command);
    expect(folders.map(({ folder, command: own }) => [folder, own])).toEqual(parts);
    // What it is called leads to the same again.
    expect(splitChain(folders.map(typedCommand).join(" && "))).toEqual(folders);
  });

  test.each([
    "cd ../web && vitest",
    "cd /web && vitest",
    "cd $WEB && vitest",
    "cd web && vitest; tsc",
    "cd web && cd app && vitest",
    "(cd web && (cd app && vitest))",
    "(cd web && vitest) || true",
    "(cd web && vitest) > log",
    "tsc && cd web && vitest",
    "export CI=1 && vitest",
    "source .venv/bin/activate && pytest",
    ". ./env && pytest",
    "set -e && pytest",
    "CI=1 && vitest",
    "A=1 cd web && vitest",
    "(tsc && vitest)",
    "tsc && vitest; echo done",
    "tsc && vitest || true",
    "tsc & vitest && jest",
    "if true; then tsc && vitest; fi",
    "! grep -r only test && vitest",
    "echo `date` && vitest",
    "echo $(date && date)",
    "echo it's && vitest",
    'echo "$(date)" && vitest',
    "tsc \\&& vitest",
    "tsc && vitest # && jest",
    "cat <<EOF && vitest",
    "tsc &&& vitest",
    "tsc && && vitest",
    "tsc &&",
    "tsc && \n vitest",
  ])("leaves %s as it is", (command) => {
    expect(splitChain(command)).toEqual([{ command: command.trim() }]);
  });
});
