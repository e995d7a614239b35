import { expect, test } from "vitest";
import { invocationsOf } from "../src/fingerprint/invocations.ts";
import type { ScriptOf } from "../src/fingerprint/scripts.ts";

const SCRIPTS: Record<string, Record<string, string>> = {
  "/shop": {
    test: "npm run unit && c8 mocha",
    pretest: "tsc --build",
    posttest: "node clean.js",
    unit: "vitest run",
    loop: "npm run loop",
    "test:all": "run-s unit lint",
    lint: "NODE_ENV=test eslint .",
  },
  "/shop/web": { test: "jest" },
};

const COMPOSER: Record<string, string> = { test: "composer run unit\nphpstan", unit: "phpunit" };

/** Programs with the folder they start in, if it is another one. */
function programs(command: string): string[] {
  const env = { RUNNER: "vitest" };
  const scriptOf: ScriptOf = (folder, manager, name) =>
    (manager === "composer" ? COMPOSER : SCRIPTS[folder])?.[name];
  return invocationsOf(command, "/shop", env, scriptOf).map(({ program, folder }) =>
    folder === "/shop" ? program : `${program} in ${folder.slice("/shop/".length)}`,
  );
}

test.each<[string, string[]]>([
  ["vitest run", ["vitest"]],
  ["NODE_ENV=test A=1 ./run.sh -x", ["./run.sh"]],
  ["go vet ./... && go test ./... | tee out; true", ["go", "go", "tee", "true"]],
  ["(jest 2>&1 > out.txt) || exit 1", ["jest", "exit"]],
  ["node --test 'a b.js' # && rm", ["node"]],
  ["jest\nmocha \\\n  --bail", ["jest", "mocha"]],
  ['bash -lc "pytest -q && ruff check"', ["bash", "pytest", "ruff"]],
  ["$RUNNER run", ["vitest"]],
  ["npx --yes vitest", ["npx", "vitest"]],
  ["env -u A B=1 jest", ["env", "A", "jest"]],
  ["c8 -r lcov node --test", ["c8", "lcov", "node"]],
  ["uv run -q pytest", ["uv", "run", "pytest"]],
  ["pnpm exec playwright test", ["pnpm", "exec", "playwright", "test"]],
  ["npm test", ["npm", "tsc", "npm", "vitest", "c8", "mocha", "node"]],
  ["npm t", ["npm", "tsc", "npm", "vitest", "c8", "mocha", "node"]],
  ["yarn unit", ["yarn", "vitest"]],
  ["pnpm -s run lint", ["pnpm", "eslint"]],
  ["npm run test:all", ["npm", "run-s", "vitest", "eslint"]],
  ["concurrently 'npm:unit' 'tsc -w'", ["concurrently", "vitest", "tsc"]],
  ["npm run loop", ["npm", "npm"]],
  ["bun test", ["bun"]],
  ["composer test", ["composer", "composer", "phpunit", "phpstan"]],
  ["cd web && npm test", ["npm in web", "jest in web"]],
  ["npm --prefix web test", ["npm", "jest in web"]],
  ["npm run unknown", ["npm", "run", "unknown"]],
  ["echo '${' ${x", []],
  ["", []],
])("%s starts %j", (command, expected) => {
  expect(programs(command)).toEqual(expected);
});

test("follows neither endless scripts nor endless commands", () => {
  const started = performance.now();
  expect(programs("a;".repeat(100_000)).length).toBe(200);
  expect(programs("npx ".repeat(100_000)).length).toBeLessThan(500);
  expect(programs("npm -x ".repeat(100_000)).length).toBeLessThan(500);
  expect(programs("'\"".repeat(100_000)).length).toBeLessThan(2);
  expect(performance.now() - started).toBeLessThan(5000);
});
