import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { blocksOf, graftBlocks, graftTests, keepsTests, maskRust } from "../src/index.ts";

const blocks = (text: string) => blocksOf(text).map(({ from, to }) => text.slice(from, to));
const TESTS =
  "#[cfg(test)]\nmod tests {\n    #[test]\n    fn one() {\n        assert_eq!(f(), 1);\n    }\n}";

describe("blocks of tests inside of a source", () => {
  test.each([
    ["a module", TESTS, [TESTS]],
    [
      "an item that ends with a semicolon",
      `#[cfg(test)]\nuse a::{b, c};\nfn d() {}\n${TESTS}`,
      ["#[cfg(test)]\nuse a::{b, c};", TESTS],
    ],
    [
      "a module in a file of its own",
      "#[cfg(test)]\nmod tests;\n\nfn d() {}\n",
      ["#[cfg(test)]\nmod tests;"],
    ],
    [
      "a constant with braces",
      "#[cfg(test)]\nconst A: B = B { c: [1; 2] };\nfn d() {}\n",
      ["#[cfg(test)]\nconst A: B = B { c: [1; 2] };"],
    ],
    [
      "in one line with other code",
      "fn a() {} #[cfg(test)] fn b() {} fn c() {}\n",
      ["#[cfg(test)] fn b() {}"],
    ],
    [
      "documentation and other attributes",
      "fn a() {}\n/// One.\n#[allow(x)]\n#[test]\nfn b() {}\n",
      ["/// One.\n#[allow(x)]\n#[test]\nfn b() {}"],
    ],
    [
      "braces in strings and comments",
      '#[test]\nfn b() { "}"; \'}\'; r#""}"#; /* } /* } */ */ }\nfn c() {}\n',
      ['#[test]\nfn b() { "}"; \'}\'; r#""}"#; /* } /* } */ */ }'],
    ],
    [
      "a condition among others",
      "#[cfg(all(test, unix))]\nfn b() {}\n#[cfg(all(not(test), unix))]\nfn c() {}\n",
      ["#[cfg(all(test, unix))]\nfn b() {}"],
    ],
    [
      "what is commented out",
      '/*\n#[cfg(test)]\nmod tests {}\n*/\n// #[test]\nfn c() {}\nconst S: &str = "\n#[test]\nfn d() {}";\n',
      [],
    ],
    [
      "a field and an arm, which are no items",
      "#[derive(A)]\nstruct B {\n    #[cfg(test)]\n    c: u64,\n}\n",
      [],
    ],
    [
      "JavaScript",
      "export const a = 1;\nif (import.meta.vitest) {\n  test();\n}\nexport const b = 2;\n",
      ["if (import.meta.vitest) {\n  test();\n}"],
    ],
  ])("%s", (_, text, found) => {
    expect(blocks(text)).toEqual(found);
  });

  test("come to the end of a source, or to the place of their namesake", () => {
    const before =
      "mod a {\n    fn f() {}\n    #[test]\n    fn t() { old() }\n}\n#[cfg(test)]\nuse old;\nfn g() {}\n";
    const after = "mod a {\n    #[test]\n    fn t() { new() }\n}\n#[cfg(test)]\nuse new;\n";
    expect(graftTests(before, after)).toEqual({
      text: "mod a {\n    fn f() {}\n    #[test]\n    fn t() { new() }\n}\n\nfn g() {}\n#[cfg(test)]\nuse new;\n",
      isComplete: true,
    });
    expect(graftTests("fn g() {}\n", after)?.isComplete).toBe(false);
    expect(graftTests(before, "fn a() {}\n")).toBeNull();
    expect(graftBlocks(`fn a() {}\n${TESTS}\n`, [])).toBe("fn a() {}\n");
  });

  test("are not kept where they are commented out or are text", () => {
    const start = `fn f() -> u64 { 1 }\n\n${TESTS}\n`;
    expect(keepsTests(start, `${start}\n#[test]\nfn more() {}\n`)).toBe(true);
    expect(keepsTests(start, `fn f() -> u64 { 2 }\n/*\n${TESTS}\n*/\n`)).toBe(false);
    expect(keepsTests(start, `const A: &str = r#"\n${TESTS}\n"#;\n`)).toBe(false);
  });
});

describe("tests in documentation", () => {
  const python = (examples: string, indent = "    ") =>
    `def total(a):\n${indent}"""What is paid.\n\n${examples.replaceAll(/^(?=.)/gm, indent)}\n${indent}"""\n${indent}return a\n`;
  const START = ">>> total(5)\n5";

  test.each([
    ["a line between", ">>> total(5)\n9\n>>> total(4)\n5"],
    ["another example before", ">>> total = str\n\n>>> total(5)\n5"],
    ["a prompt that goes on", ">>> (lambda: 5 if True else\n... total(5))()\n5"],
    ["a mark that skips it", ">>> total(5)  # doctest: +SKIP\n5"],
  ])("are those of the other text: %s", (_, examples) => {
    const { text, isComplete } = graftTests(python(examples), python(START)) ?? {};
    expect([text?.replaceAll(/\n{2,}/g, "\n"), isComplete]).toEqual([
      python(START).replaceAll(/\n{2,}/g, "\n"),
      true,
    ]);
  });

  test("are where the item is that they document, with its indentation", () => {
    const moved = `def more():\n    """\n    >>> more()\n    """\n\n\n${python(">>> 1\n1", "  ")}`;
    expect(graftTests(moved, python(START))).toEqual({
      text: `def more():\n    """\n    """\n\n\n${python(START, "  ")}`,
      isComplete: true,
    });
    expect(graftTests("def other(a):\n    return a\n", python(START))?.isComplete).toBe(false);
    const inClass = `class Other:\n${python(START).replaceAll(/^(?=.)/gm, "    ")}`;
    expect(graftTests(inClass, python(START))?.isComplete).toBe(false);
  });

  test("of Rust are from fence to fence", () => {
    const rust = (fence: string, ...lines: string[]) =>
      `//! Of all.\n//! \`\`\`\n//! one();\n//! \`\`\`\n\n/// What is paid.\n///\n/// \`\`\`${fence}\n${lines.map((line) => `/// ${line}\n`).join("")}/// \`\`\`\n#[inline]\npub fn total(a: u32) -> u32 {\n    a\n}\n`;
    const start = rust("", "assert_eq!(total(5), 5);");
    const changed = rust("", "# #[cfg(any())]", "assert_eq!(total(5), 5);");
    expect(graftTests(changed, start)).toEqual({ text: start, isComplete: true });
    expect(graftTests(rust("ignore", "total(5);"), start)?.text).toBe(start);
    expect(graftTests(start.replace("fn total", "fn whole"), start)?.isComplete).toBe(false);
  });
});

test("a masked text has its characters where they were", () => {
  const text =
    'let a = \'x\'; // \'b\nlet c: &\'static str = b"\\"}"; r"\\"; /* /* \n */ } */ r#type';
  expect(maskRust(text)).toBe(
    `let a = """;      \nlet c: &'static str = ${'"'.repeat(6)}; ${'"'.repeat(4)};       \n         r#type`,
  );
  const parts = [
    "/*",
    "*/",
    "//",
    '"',
    "'",
    "\\",
    "r#",
    "#",
    "\n",
    "{",
    "é",
    "a",
    "#[test]",
    "fn a() {}",
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...parts)), (words) => {
      const code = words.join("");
      expect(maskRust(code)).toHaveLength(code.length);
      const found = blocksOf(code);
      for (const [n, { from, to }] of found.entries()) {
        expect(from).toBeLessThan(to);
        expect(from).toBeGreaterThanOrEqual(found[n - 1]?.to ?? 0);
      }
    }),
  );
});
