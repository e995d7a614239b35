import type { Edit, Group, Project } from "../src/project.ts";

const edit: Edit = {
  file: "src/years.ts",
  right: "year % 100 !== 0 || year % 400 === 0",
  bug: "year % 100 !== 0 || year % 900 === 0",
  wrong: "year % 100 === 0 || year % 400 === 0",
};
const SOURCE = `export function leap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}
`;
const SCRIPT = SOURCE.replaceAll(/: (number|boolean)/g, "");
const INSTALL = "npm install --no-audit --no-fund --ignore-scripts --loglevel=error";
const manifest = (test: string, packages: Record<string, string>, more = {}) =>
  `${JSON.stringify({ type: "module", scripts: { test }, devDependencies: packages, ...more }, null, 2)}\n`;
const IGNORED = { ".gitignore": "node_modules\npackage-lock.json\n" };

/** Runners that few packages publish their tests for. */
const projects: Project[] = [
  {
    name: "ts-vitest",
    tools: "TypeScript, vitest with a table and a snapshot",
    from: {
      files: {
        ...IGNORED,
        "package.json": manifest("vitest run", { vitest: "3.2.4" }),
        "src/years.ts": SOURCE,
        "src/years.test.ts": `import { describe, expect, it } from "vitest";
import { leap } from "./years.ts";

describe("leap", () => {
  it.each([[2024, true], [2023, false], [1900, false], [2000, true]])("knows %i", (year, expected) => {
    expect(leap(year)).toBe(expected);
  });
  it("matches its snapshot", () => {
    expect([2024, 2023].map(leap).join()).toMatchInlineSnapshot('"true,false"');
  });
});
`,
      },
      setup: [INSTALL],
    },
    edit,
    readers: ["jest-json"],
  },
  {
    name: "ts-jest",
    tools: "TypeScript, jest with ts-jest",
    from: {
      files: {
        ...IGNORED,
        "package.json": manifest(
          "jest",
          { "@types/jest": "29.5.14", jest: "29.7.0", "ts-jest": "29.2.5", typescript: "5.6.3" },
          { type: "commonjs", jest: { preset: "ts-jest" } },
        ),
        "tsconfig.json":
          '{ "compilerOptions": { "strict": true, "esModuleInterop": true, "target": "es2020", "module": "commonjs" } }\n',
        "src/years.ts": SOURCE,
        "src/years.test.ts": `import { leap } from "./years";

describe("leap", () => {
  test("is every fourth", () => expect(leap(2024)).toBe(true));
  test("is not every century", () => expect(leap(1900)).toBe(false));
  test("is every fourth century", () => expect(leap(2000)).toBe(true));
  test.todo("is far away");
});
`,
      },
      setup: [INSTALL],
    },
    edit,
    readers: ["jest-json"],
  },
  {
    name: "js-ava",
    tools: "JavaScript, ava",
    from: {
      files: {
        ...IGNORED,
        "package.json": manifest("ava", { ava: "6.2.0" }),
        "src/years.js": SCRIPT,
        "test/years.js": `import test from "ava";
import { leap } from "../src/years.js";

test("every fourth", (t) => t.true(leap(2024)));
test("not every century", (t) => t.false(leap(1900)));
test("every fourth century", (t) => t.true(leap(2000)));
`,
      },
      setup: [INSTALL],
    },
    edit: { ...edit, file: "src/years.js" },
  },
  {
    name: "js-uvu",
    tools: "JavaScript, uvu",
    from: {
      files: {
        ...IGNORED,
        "package.json": manifest("uvu test", { uvu: "0.5.6" }),
        "src/years.js": SCRIPT,
        "test/years.js": `import { test } from "uvu";
import * as assert from "uvu/assert";
import { leap } from "../src/years.js";

test("every fourth", () => assert.ok(leap(2024)));
test("not every century", () => assert.not(leap(1900)));
test("every fourth century", () => assert.ok(leap(2000)));

test.run();
`,
      },
      setup: [INSTALL],
    },
    edit: { ...edit, file: "src/years.js" },
  },
  {
    name: "ts-node-test",
    tools: "TypeScript, node --test without a compiler",
    from: {
      files: {
        "package.json": manifest("node --test 'src/*.test.ts'", {}),
        "src/years.ts": SOURCE,
        "src/years.test.ts": `import assert from "node:assert/strict";
import { test } from "node:test";
import { leap } from "./years.ts";

test("every fourth", () => assert.ok(leap(2024)));
test("not every century", () => assert.ok(!leap(1900)));
test("every fourth century", () => assert.ok(leap(2000)));
`,
      },
    },
    edit,
  },
];

export const runners: Group = {
  title: "More runners of JavaScript and TypeScript, in projects made here",
  projects,
};
