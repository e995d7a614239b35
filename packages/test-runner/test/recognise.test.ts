import { expect, test } from "vitest";
import { runnerOf } from "../src/runners/recognise.ts";
import { withArguments, withArgumentsAfter } from "../src/runners/runner.ts";

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
  ["mocha --reporter dot -- spec", "mocha"],
  ["ava --watch", "ava"],
  ["node --test", "node-test"],
  ["node --import tsx --test test/*.ts", "node-test"],
  ["c8 node --test", "node-test"],
  ["tsx --test test/*.ts", "node-test"],
  ["tap --disable-coverage", "tap"],
  ["nyc tape 'test/*.js'", "tape"],
  ["uvu test", "uvu"],
  ["borp --coverage", "borp"],
  ["borp -w", "borp"],
  ["pytest -q", "pytest"],
  ["python3 -m pytest tests", "pytest"],
  ["uv run pytest", "pytest"],
  ["go test ./...", "go"],
  ["go vet ./... && go test ./...", "go"],
  ["playwright test", "playwright"],
  ["npx playwright test --project=firefox", "playwright"],
  ["bun test src", "bun"],
  ["node_modules/.bin/playwright test", "playwright"],
  ["python -m unittest", "unittest"],
  ["python3.12 -m unittest discover -s tests", "unittest"],
  ["python3 -Werror -B -m unittest discover -s tests", "unittest"],
  ["uv run python -m unittest -v", "unittest"],
  ["cargo test", "cargo"],
  ["cargo +stable test --workspace -- --skip slow", "cargo"],
  ["cargo t --all-features", "cargo"],
  ["cargo nextest run --profile ci", "nextest"],
  ["dotnet test Shop.sln -c Release", "dotnet"],
  ["vendor/bin/phpunit --testsuite unit", "phpunit"],
  ["php vendor/bin/phpunit", "phpunit"],
  ["./vendor/bin/pest", "phpunit"],
  ["bundle exec rspec spec/models", "rspec"],
  ["bin/rspec", "rspec"],
  ["bin/rails test", "minitest"],
  ["bats -r test", "bats"],
  ["prove -lvr t", "prove"],
  ["ctest --test-dir build", "ctest"],
  ["ruby -Itest test/cart_test.rb", "minitest"],
  ["mvn -B verify", "maven"],
  ["mvn package -pl core", "maven"],
  ["./mvnw test", "maven"],
  ["./gradlew check", "gradle"],
  ["gradle :app:integrationTest", "gradle"],
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
  "node --test --test-reporter=tap",
  "node --test --watch",
  "node test.js",
  "pytest --junitxml=x.xml",
  "python3 -I -m unittest",
  "python3 -W error -m unittest",
  "python3 run_tests.py",
  "playwright install",
  "playwright test --reporter=dot",
  "bun run build",
  "bun test --watch",
  "cargo build",
  "cargo test --no-run",
  "cargo test -- --nocapture",
  "cargo test -q",
  "cargo nextest list",
  "dotnet build",
  "dotnet test --results-directory out",
  "phpunit --log-junit out.xml",
  "rspec --dry-run",
  "ruby lib/cart.rb",
  "bats --formatter junit test",
  "ctest -N",
  "mvn -B spotless:check",
  "mvn -B package -DskipTests",
  "./gradlew assemble",
  "./gradlew build -x test",
  "go build ./...",
  "go test -c ./a",
  "npm run test:unit",
  "echo vitest",
  "make test",
  "",
])("%s is no runner that can be told by arguments", (command) => {
  expect(runnerOf(command)).toBe("script");
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

test.each([
  ["go test ./...", "go test -json ./..."],
  ["go vet ./... && go  test", "go vet ./... && go  test -json"],
  ["CGO_ENABLED=0 go test", "CGO_ENABLED=0 go test -json"],
  ["make test", "make test"],
])("arguments stand behind the words of %s", (command, expected) => {
  expect(withArgumentsAfter(command, /\bgo\s+test\b/, ["-json"])).toBe(expected);
});

test("an argument is one word for the shell", () => {
  expect(withArguments("jest", ["--outputFile=/tmp/it's here/$x"])).toBe(
    "jest '--outputFile=/tmp/it'\\''s here/$x'",
  );
});
