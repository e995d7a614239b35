import { describe, expect, test } from "vitest";
import { detect } from "../src/detect/detect.ts";
import { detectAndRun } from "./plan.ts";
import { project } from "./project.ts";

const pack = (test?: string, more: object = {}) =>
  JSON.stringify({ ...(test === undefined ? {} : { scripts: { test } }), ...more });
const GO = { "go.mod": "module a", "a_test.go": "package a" };
const below = (folder: string, files: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]));

describe("suites of a project", () => {
  test.each<[string, Record<string, string>, string]>([
    [
      "of projects below a top that has none",
      {
        "README.md": "",
        ...below("api", { "pyproject.toml": "pytest", "tests/test_a.py": "" }),
        ...below("web", { "package.json": pack("vitest run") }),
      },
      "(cd api && pytest) && (cd web && npm test)",
    ],
    [
      "of other languages below a top that has some",
      { "package.json": pack("vitest run"), ...below("tools/a/gen", GO) },
      "npm test && (cd tools/a/gen && go test ./...)",
    ],
    ["of each Go module", { ...GO, ...below("b", GO) }, "go test ./... && (cd b && go test ./...)"],
    [
      "of crates that are not of one workspace",
      below("a", { "Cargo.toml": "", "src/lib.rs": "#[test]" }),
      "(cd a && cargo test)",
    ],
    [
      "of the packages, where the top only lists them",
      {
        "package.json": pack(undefined, { workspaces: ["p/*"], devDependencies: { vitest: "4" } }),
        ...below("p/a", { "package.json": pack("vitest run") }),
        ...below("p/b", { "package.json": pack("node --test") }),
      },
      "(cd p/a && npm test) && (cd p/b && npm test)",
    ],
    [
      "of neighbors that have the same runner",
      {
        ...below("p/a", { "package.json": pack("vitest run") }),
        ...below("p/b", { "package.json": pack("vitest run") }),
      },
      "(cd p/a && npm test) && (cd p/b && npm test)",
    ],
    [
      "in a folder with a blank in its name",
      below("my app", { "package.json": pack("vitest run") }),
      "(cd 'my app' && npm test)",
    ],
    [
      "in Bats beside others",
      { "package.json": pack("vitest run"), "test/a.bats": "" },
      "npm test && bats test",
    ],
    [
      "of the build tool, with what it does not run",
      {
        Makefile: "test:\n\t./run\n",
        ...below("py", { "pytest.ini": "", "test_a.py": "" }),
      },
      "make test && (cd py && pytest)",
    ],
  ])("are found %s", async (_, files, command) => {
    const dir = await project(files);
    const plan = await detect(dir);
    expect(plan?.command).toBe(command);
    const named = plan?.parts.map(({ source: _, ...part }) => part);
    // Given by a person, or after the baseline, the same command says the same.
    const again = await detect(dir, command);
    expect(again?.parts.map(({ folder, command: own }) => [folder, own])).toEqual(
      named?.map(({ folder, command: own }) => [folder, own]),
    );
  });

  test.each<[string, Record<string, string>, string | null]>([
    [
      "that the script at the top runs",
      {
        "package.json": pack("./test-all.sh"),
        ...below("packages/a", { "package.json": pack("vitest run") }),
      },
      "npm test",
    ],
    [
      "that a script names",
      { "package.json": pack("npm run unit && npm run py", {}), ...below("py", GO) },
      "npm test && (cd py && go test ./...)",
    ],
    [
      "that a recipe of make names",
      {
        Makefile: "test:\n\tcd api && pytest\n\tcd web && npm test\n",
        ...below("api", { "pytest.ini": "", "test_a.py": "" }),
        ...below("web", { "package.json": pack("vitest run") }),
      },
      "make test",
    ],
    [
      "of examples and data of tests",
      {
        ...GO,
        ...below("examples/web", { "package.json": pack("vitest run") }),
        ...below("test/fixtures/a", { "package.json": pack("vitest run") }),
        ...below("vendor/b", GO),
      },
      "go test ./...",
    ],
    [
      "of data that lies deep",
      { ...GO, ...below("bench/shops/small/api", { "package.json": pack("vitest run") }) },
      "go test ./...",
    ],
    [
      "of other repositories",
      { ...GO, "deps/x/.git": "gitdir: elsewhere", ...below("deps/x", GO) },
      "go test ./...",
    ],
    ["that are not there", below("a", { "package.json": pack() }), null],
  ])("are not those %s", async (_, files, command) => {
    expect((await detect(await project(files)))?.command ?? null).toBe(command);
  });

  test("are named with the file that speaks of them", async () => {
    const dir = await project({ ...GO, ...below("web", { "package.json": pack("vitest run") }) });
    expect(await detect(dir)).toMatchObject({
      source: "go.mod, web/package.json",
      parts: [{ source: "go.mod" }, { folder: "web", source: "web/package.json" }],
    });
  });

  test("are chosen by a person where they are very many", async () => {
    const folders = Array.from({ length: 33 }, (_, n) => below(`m${n}`, GO));
    const detecting = detect(await project(Object.assign({}, ...folders)));
    await expect(detecting).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("--verify"),
    });
  });
});

const node = (price: string) =>
  `import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { total } from "../src/cart.js";\ntest("half", () => assert.equal(total(500, 50), ${price}));\n`;
const js = (total: string) => `export const total = (price, percent) => ${total};\n`;
const WRONG = js("price - percent");
const RIGHT = js("price * (100 - percent) / 100");

describe("suites in folders", { timeout: 120_000 }, () => {
  const shop = {
    "package.json": '{"type":"module","scripts":{"test":"node --test"}}',
    "src/cart.js": RIGHT,
    "test/cart.test.js": node("250"),
  };

  test("keep tests of equal names apart", async () => {
    const dir = await project({ ...below("a", shop), ...below("b", shop), "b/src/cart.js": WRONG });
    const result = await detectAndRun(dir);
    expect(result).toMatchObject({ passed: false, counts: { passed: 1, failed: 1 } });
    expect(result.tests.map(({ suite, test_name, status }) => [suite, test_name, status])).toEqual([
      ["b/test/cart.test.js", "half", "failed"],
      ["a/test/cart.test.js", "half", "passed"],
    ]);
    expect(
      result.commands.map(({ command, source, verdict }) => [command, source, verdict]),
    ).toEqual([
      ["(cd a && npm test)", "a/package.json", "passed"],
      ["(cd b && npm test)", "b/package.json", "tests_failed"],
    ]);
  });
});
