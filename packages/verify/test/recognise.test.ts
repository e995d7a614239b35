import { expect, test } from "vitest";
import { withArguments } from "../src/runners/arguments.ts";
import { runnerOf } from "../src/runners/recognise.ts";

test.each([
  ["vitest", "vitest"],
  ["vitest run --coverage", "vitest"],
  ["tsc --noEmit && vitest run", "vitest"],
  ["pnpm exec vitest run", "vitest"],
  ["pnpm vitest run", "vitest"],
  ["npx --yes vitest run src", "vitest"],
  ["NODE_ENV=test jest --ci", "jest"],
  ["cross-env FORCE_COLOR=0 jest", "jest"],
  ["node --experimental-vm-modules node_modules/.bin/jest", "jest"],
  ["node --experimental-vm-modules node_modules/jest/bin/jest.js -i", "jest"],
  ["./node_modules/.bin/mocha 'test/**/*.js'", "mocha"],
  ["nyc mocha", "mocha"],
  ["node --test", "node-test"],
  ["node --import tsx --test test/*.ts", "node-test"],
  ["c8 node --test", "node-test"],
  ["pytest -q", "pytest"],
  ["python3 -m pytest tests", "pytest"],
  ["uv run pytest", "pytest"],
  ["go test ./...", "go"],
  ["go vet ./... && go test ./...", "go"],
  ["mvn -B verify", "maven"],
  ["./mvnw test", "maven"],
  ["./gradlew check", "gradle"],
])("%s is run by %s", (command, runner) => {
  expect(runnerOf(command)).toBe(runner);
});

test.each([
  "vitest run | tee log",
  "vitest run > log",
  "vitest run; echo done",
  "vitest run || true",
  "vitest run & wait",
  "vitest && eslint .",
  'sh -c "tsc && vitest run"',
  "(cd a && vitest)",
  "vitest $(cat args)",
  "vitest # jest",
  "vitest run --outputFile=x.json",
  "vitest bench",
  "jest --json",
  "mocha --reporter dot",
  "node --test --test-reporter=tap",
  "node --test --watch",
  "node test.js",
  "pytest --junitxml=x.xml",
  "python3 -m unittest",
  "cargo test",
  "go build ./...",
  "npm run test:unit",
  "echo vitest",
  "make test",
  "",
])("%s is judged by its exit code", (command) => {
  expect(runnerOf(command)).toBe("exit-code");
});

test.each([
  ["npm test", "npm test -- --json"],
  ["npm run test:unit", "npm run test:unit -- --json"],
  ["pnpm test", "pnpm test --json"],
  ["yarn test", "yarn test --json"],
  ["tsc && jest", "tsc && jest --json"],
])("arguments reach the runner of %s", (command, expected) => {
  expect(withArguments(command, ["--json"])).toBe(expected);
});

test("an argument is one word for the shell", () => {
  expect(withArguments("jest", ["--outputFile=/tmp/it's here/$x"])).toBe(
    "jest '--outputFile=/tmp/it'\\''s here/$x'",
  );
});
