import { describe, expect, test } from "vitest";
import { isNewManifest, withAdditions } from "../src/index.ts";

const json = (value: unknown) => JSON.stringify(value);
const parsed = (text: string | null) => JSON.parse(text ?? "null");

describe("of a manifest only what sources newly need is taken", () => {
  const before = {
    scripts: { test: "node --test" },
    dependencies: { ms: "^2.0.0" },
    devDependencies: { chai: "^5.0.0" },
    imports: { "#lib/*": "./src/*.js" },
  };
  test("package.json: dependencies and imports under new names", () => {
    const after = {
      scripts: { test: "true" },
      mocha: { require: "./evil.js" },
      dependencies: { ms: "^1.0.0", chai: "^1.0.0", zod: "^4.0.0", mine: "file:./mine" },
      devDependencies: { chai: "^5.0.0", "vitest-plugin": "1.0.0" },
      imports: {
        "#lib/*": "./other/*.js",
        "#lib/assert": "./src/assert.js",
        "#money": "./src/money.js",
      },
    };
    expect(parsed(withAdditions("package.json", json(before), json(after)))).toEqual({
      ...before,
      dependencies: { ms: "^2.0.0", zod: "^4.0.0" },
      imports: { "#lib/*": "./src/*.js", "#money": "./src/money.js" },
    });
    const other = json({ ...before, scripts: { test: "true" } });
    expect(withAdditions("package.json", json(before), other)).toBeNull();
  });
  test("package-lock.json: packages under new names, with what lies below them", () => {
    const entry = (version: string) => ({ version });
    const was = { "": { devDependencies: { mocha: "1" } }, "node_modules/mocha": entry("1") };
    const is = {
      "": { dependencies: { zod: "4" } },
      "node_modules/mocha": entry("2"),
      "node_modules/mocha/node_modules/chai": entry("1"),
      "node_modules/zod": { ...entry("4"), resolved: "file:../zod.tgz", integrity: "sha512-z" },
      "node_modules/zod/node_modules/ms": entry("2"),
      "node_modules/mine": { link: true, resolved: "mine" },
    };
    const merged = withAdditions(
      "package-lock.json",
      json({ packages: was }),
      json({ packages: is }),
    );
    expect(parsed(merged).packages).toEqual({
      ...was,
      "": { devDependencies: { mocha: "1" }, dependencies: { zod: "4" } },
      "node_modules/zod": { ...entry("4"), integrity: "sha512-z" },
      "node_modules/zod/node_modules/ms": entry("2"),
    });
  });
  test("go.mod and go.sum: modules that were not there", () => {
    const was = "module example.org/cart\n\ngo 1.19\n\nrequire example.org/old v1.0.0\n";
    const is =
      "module example.org/cart\n\ngo 1.22\n\nrequire (\n\texample.org/old v1.1.0\n\texample.org/money v1.0.0 // indirect\n)\n\nreplace example.org/old => ./old\n";
    expect(withAdditions("go.mod", was, is)).toBe(
      `${was}require example.org/money v1.0.0 // indirect\n`,
    );
    expect(withAdditions("go.sum", "a v1 h1:x\n", "a v1 h1:x\nb v1 h1:y\n")).toBe(
      "a v1 h1:x\nb v1 h1:y\n",
    );
  });
  test("Cargo.toml and Cargo.lock: crates that were not there", () => {
    const was = '[package]\nname = "cart"\n\n[dependencies]\nserde = "1"\n';
    const is =
      '[package]\nname = "cart"\nbuild = "b.rs"\n\n[dependencies]\nserde = "2"\nstd = { path = "std" }\nfar = { path = "/tmp/far" }\nabove = { path = "../above" }\nlent = { git = "file:///tmp/lent" }\nmoney = { path = "money" }\n\n[lib]\nharness = false\n';
    expect(withAdditions("Cargo.toml", was, is)).toBe(
      '[package]\nname = "cart"\n\n[dependencies]\nmoney = { path = "money" }\nserde = "1"\n',
    );
    const block = (name: string, version: string) =>
      `[[package]]\nname = "${name}"\nversion = "${version}"\n`;
    expect(
      withAdditions(
        "Cargo.lock",
        `version = 3\n\n${block("serde", "1.0.0")}`,
        `version = 4\n\n${block("money", "0.1.0")}\n${block("serde", "2.0.0")}`,
      ),
    ).toBe(`version = 3\n\n${block("serde", "1.0.0")}\n${block("money", "0.1.0")}`);
  });
  test("no other file", () => {
    expect(withAdditions("vitest.config.ts", "a", "b")).toBeNull();
  });
});

test("the manifest of a new package lies in a folder of its own", () => {
  const start = new Set(["src/lib.rs", "tests/cart.rs", "packages/a/src/a.js"]);
  expect(isNewManifest("money/Cargo.toml", start)).toBe(true);
  expect(isNewManifest("packages/b/package.json", start)).toBe(true);
  for (const path of [
    "package.json",
    "src/Cargo.toml",
    "packages/package.json",
    ".cargo/Cargo.toml",
    "vendor/x/package.json",
    "money/config.toml",
  ])
    expect(isNewManifest(path, start), path).toBe(false);
});
