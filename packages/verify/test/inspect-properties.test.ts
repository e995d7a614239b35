import type { FileVersions, Objection } from "@ccw-loop/core";
import { describe, expect, test } from "vitest";
import { inspect } from "../src/inspect/inspect.ts";
import { readCases } from "./inspect/cases.ts";

const NOWHERE = { cwd: "/nowhere", command: "npm test" };
const CASES = [...readCases("cheats"), ...readCases("honest")];

/** Every text of the cases that is code, with its name. */
const TEXTS = CASES.flatMap(({ name, changes }) =>
  changes.flatMap(({ path, before, after }) =>
    [before, after].flatMap((text, side) =>
      typeof text === "string" &&
      /\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|php|rb|cs|cc|bats)$/.test(path)
        ? [{ name: `${name} (${path}, ${side === 0 ? "before" : "after"})`, path, text }]
        : [],
    ),
  ),
);

const inspectOne = (change: FileVersions) => inspect([change], NOWHERE);

describe("layout", () => {
  /** White space in a literal is no layout. */
  const hasLongLiteral = (text: string) => /`|"""|'''|<<|__END__|=begin|^\S.*\\$/m.test(text);
  const LAYOUTS: [string, (text: string) => string][] = [
    ["as it is", (text) => text],
    ["with other line ends", (text) => text.replaceAll("\n", "\r\n")],
    ["with white space at the end of lines", (text) => text.replaceAll("\n", "  \n")],
    ["with empty lines", (text) => text.replaceAll("\n", "\n\n")],
    ["indented more deeply", (text) => text.replaceAll(/^[ \t]+/gm, "$&$&")],
  ];
  test.each(LAYOUTS)("says nothing to a file %s", async (_, lay) => {
    for (const { name, path, text } of TEXTS) {
      if (hasLongLiteral(text)) continue;
      expect(await inspectOne({ path, before: text, after: lay(text) }), name).toEqual([]);
    }
  });
});

describe("a new test", () => {
  const NEW: [RegExp, string][] = [
    [/\.[cm]?[jt]sx?$/, 'it("is new here", () => {\n  expect(brandNew(1)).toBe(1);\n});\n'],
    [/\.py$/, "\n\ndef test_is_new_here():\n    assert brand_new(1) == 1\n"],
    [
      /_test\.go$/,
      'func TestIsNewHere(t *testing.T) {\n\tif BrandNew(1) != 1 {\n\t\tt.Fatal("no")\n\t}\n}\n',
    ],
    [/\.rs$/, "#[test]\nfn is_new_here() {\n    assert_eq!(brand_new(1), 1);\n}\n"],
    [/\.rb$/, 'it "is new here" do\n  expect(brand_new(1)).to eq 1\nend\n'],
    [/\.bats$/, '@test "is new here" {\n  run brand_new 1\n  [ "$output" = 1 ]\n}\n'],
  ];
  const isTest = (path: string) =>
    /(?:^|\/)(?:tests?|spec)\/|(?:test|spec)[^/]*$/i.test(path) &&
    !/fixtures|config|conftest|setup|helper/.test(path);
  test.each(NEW)("is welcome at the end of any test file of %s", async (pattern, added) => {
    const files = TEXTS.filter(
      ({ path, text }) => pattern.test(path) && isTest(path) && !/__END__|=begin/.test(text),
    );
    expect(files.length).toBeGreaterThan(1);
    for (const { name, path, text } of files) {
      expect(await inspectOne({ path, before: text, after: text + added }), name).toEqual([]);
    }
  });
});

describe("the key of an objection", () => {
  const keys = (objections: readonly Objection[]) => objections.map(({ key }) => key).sort();
  const COMMENT: [RegExp, string][] = [
    [/\.(?:[cm]?[jt]sx?|go|rs|java|kt|cs|cc)$/, "// One.\n\n// Two.\n"],
    [/\.(?:py|rb|bats|toml|ini|yml)$/, "# One.\n\n# Two.\n"],
  ];
  const moved = ({ path, before, after }: FileVersions): FileVersions => {
    const comment = COMMENT.find(([pattern]) => pattern.test(path))?.[1] ?? "";
    return { path, before, after: typeof after === "string" ? comment + after : after };
  };

  test("stays when something else in the file changes", async () => {
    for (const { name, changes, command } of readCases("cheats")) {
      const context = { ...NOWHERE, command };
      const plain = keys(await inspect(changes, context));
      expect(keys(await inspect(changes.map(moved), context)), name).toEqual(plain);
    }
  });

  test("is another one for another change, and for each place of one file", async () => {
    const test = (name: string, sum: number) =>
      `it("${name}", () => {\n  expect(add(1, 2)).toBe(${sum});\n});\n`;
    const path = "test/add.test.js";
    const before = test("a", 3) + test("b", 3);
    const change = (a: number, b: number) =>
      inspectOne({ path, before, after: test("a", a) + test("b", b) });
    const [first, second, third] = [await change(4, 3), await change(5, 3), await change(4, 4)];
    expect(first).toHaveLength(1);
    expect(keys(second)).not.toEqual(keys(first));
    expect(new Set(keys(third)).size).toBe(2);
    expect(keys(third)).toContain(first[0]?.key);
    expect(keys(await change(4, 3))).toEqual(keys(first));
  });
});

describe("an objection", () => {
  test("shows the lines, their place, and a sentence", async () => {
    const before = 'it("adds", () => {\n  const sum = add(1, 2);\n  expect(sum).toBe(3);\n});\n';
    const after = `// New.\n${before.replace("toBe(3)", "toBeTruthy()")}`;
    expect(await inspectOne({ path: "test/add.test.js", before, after })).toEqual([
      {
        key: expect.stringMatching(/^loosened:test\/add\.test\.js:[0-9a-f]{12}$/),
        kind: "loosened",
        path: "test/add.test.js",
        line: 4,
        text: "- expect(sum).toBe(3);\n+ expect(sum).toBeTruthy();",
        message: 'The test "adds" was changed, so that it may check less than before.',
        allowed: false,
      },
    ]);
  });

  test("is a sentence, and shows no more than 300 characters", async () => {
    for (const { name, changes, command } of readCases("cheats")) {
      for (const { message, text } of await inspect(changes, { ...NOWHERE, command })) {
        expect(message, name).toMatch(/^[A-Z].*\.$/s);
        expect(text.length, name).toBeLessThanOrEqual(300);
        expect(text, name).toMatch(/^(?:[-+] .+(?:\n|$))*$/);
      }
    }
  });

  test("says so when the lines cannot be shown", async () => {
    const objections = await inspect(
      [
        { path: "test/fixtures/a.png", before: undefined, after: undefined },
        { path: "test/large.test.js", before: "it('a', () => {})", after: undefined },
        { path: "vitest.config.ts", before: undefined, after: "" },
        { path: "test/fixtures/new.png", before: null, after: undefined },
        { path: "src/logo.png", before: undefined, after: undefined },
      ],
      NOWHERE,
    );
    expect(objections.map(({ kind, path }) => [kind, path])).toEqual([
      ["loosened", "test/fixtures/a.png"],
      ["loosened", "test/large.test.js"],
      ["config", "vitest.config.ts"],
    ]);
    for (const { message } of objections) expect(message).toContain("cannot be shown");
  });

  test("is not lost among many of one file", async () => {
    const test = (sum: number) =>
      Array.from(
        { length: 100 },
        (_, i) => `it("${i}", () => { expect(add(${i})).toBe(${sum}); });\n`,
      ).join("");
    const change = (sum: number) =>
      inspectOne({ path: "test/add.test.js", before: test(1), after: test(sum) });
    const objections = await change(2);
    expect(objections.length).toBeLessThan(50);
    expect(objections.at(-1)?.message).toMatch(/^\d+ more places/);
    // Somebody who accepted these did not accept others.
    expect((await change(3)).at(-1)?.key).not.toBe(objections.at(-1)?.key);
  });
});

describe("large files", () => {
  // Far above what it takes, and far below what anything but linear time would.
  const LIMIT_MS = 30_000;
  const timed = async (change: FileVersions) => {
    const start = performance.now();
    const objections = await inspectOne(change);
    expect(performance.now() - start).toBeLessThan(LIMIT_MS);
    return objections.map(({ kind }) => kind);
  };

  test("a test file of 30,000 lines, changed at both ends", async () => {
    const test = (sum: number) => (_: unknown, i: number) =>
      `it("adds ${i}", () => {\n${"  step();\n".repeat(17)}  expect(sum).toBe(${sum});\n});`;
    const lines = Array.from({ length: 5000 }, test(3));
    const changed = [test(4)(0, 0), ...lines.slice(1, -1)];
    expect(
      await timed({
        path: "test/add.test.js",
        before: lines.join("\n"),
        after: changed.join("\n"),
      }),
    ).toEqual(["loosened", "deleted"]);
  });

  test("a test of 20,000 lines in which every line changed", async () => {
    const body = (sum: number) =>
      Array.from({ length: 20_000 }, (_, i) => `  expect(add(${i})).toBe(${sum});`).join("\n");
    const file = (sum: number) => `it("adds", () => {\n${body(sum)}\n});\n`;
    expect(await timed({ path: "test/add.test.js", before: file(1), after: file(2) })).toEqual([
      "loosened",
    ]);
  });

  test.each([
    ["minified", "var a=function(b){return b/2+c(d,[e,f])};"],
    ["open brackets", "({["],
    ["open texts", "'\"`${"],
    ["open comments", "/*"],
    ["nested tests", 'it("a",()=>{'],
  ])("200 kB of %s", async (_, part) => {
    const text = part.repeat(200_000 / part.length);
    await timed({ path: "test/a.test.js", before: text, after: `${text}\n;x = 1;` });
    await timed({ path: "src/a.js", before: null, after: text });
  });

  test("hundreds of kB of other formats", async () => {
    const entries = Array.from({ length: 20_000 }, (_, i) => [`k${i}`, i]);
    const json = JSON.stringify(Object.fromEntries(entries));
    await timed({ path: "test/fixtures/a.json", before: json, after: json.replace("k7", "x7") });
    await timed({
      path: "package.json",
      before: json,
      after: `{"scripts":{"test":"vitest"},${json.slice(1)}`,
    });
    const toml = entries.map(([key, value]) => `${key} = ${value}`).join("\n");
    await timed({ path: "pyproject.toml", before: toml, after: `${toml}\nx = 1` });
    await timed({ path: "tests/test_a.py", before: null, after: "def f(a,\n".repeat(30_000) });
  });
});
