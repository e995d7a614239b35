import { describe, expect, test } from "vitest";
import { pointsAt, refersTo, rolesOf } from "../src/index.ts";

/** The roles of one changed file in a project of these files, with what their texts name. */
function rolesIn(
  path: string,
  files: Record<string, string[]>,
  testFiles: string[] = [],
  startTestFiles: string[] = [],
  assertingFiles: string[] = [],
) {
  const named = (data: string) =>
    Object.keys(files).filter((file) => files[file]?.includes(data.split("/").at(-1) ?? data));
  const usedBy = (program: string) =>
    Object.keys(files).filter((file) => files[file]?.some((text) => refersTo(text, file, program)));
  const pointing = (data: string) =>
    Object.keys(files).filter((file) => files[file]?.some((text) => pointsAt(text, data)));
  return rolesOf([{ path, kind: "modified" }], {
    testFiles: new Set(testFiles),
    startTestFiles: new Set(startTestFiles),
    assertingFiles: new Set(assertingFiles),
    startPaths: new Set(Object.keys(files)),
    namedIn: named,
    ...{ pointedAtBy: pointing, mentionedIn: pointing, usedBy },
    isScript: (script) => files[script]?.includes("#!") ?? false,
    holdsTests: () => false,
    allowed: [],
  });
}

function roleOf(...about: Parameters<typeof rolesIn>): string {
  const [path] = about;
  const roles = rolesIn(...about);
  const [role = ""] = Object.entries(roles).find(([, paths]) => paths.includes(path)) ?? [];
  return role;
}

const TESTS = { "tests/CartTest.php": [], "test/cart.test.js": [] };

describe("a file with tests", () => {
  test("is one of the tests where the baseline found tests in it, whatever it is called", () => {
    expect(roleOf("src/cart.js", TESTS, ["src/cart.js"], ["src/cart.js"])).toBe("tests");
  });
  test("is a source too where only the present has tests in it", () => {
    expect(roleOf("src/cart.js", TESTS, ["src/cart.js"])).toBe("both");
  });
  test.each(["test.js", "tests.py", "lib/spec.rb", "test.sh", "a/specs.ts"])(
    "is known by its name: %s",
    (path) => expect(roleOf(path, TESTS)).toBe("tests"),
  );
  test.each(["latest.js", "contest.py", "src/testing.js"])("is not known by its name: %s", (path) =>
    expect(roleOf(path, TESTS)).toBe("sources"),
  );
});

describe("a file in which an assertion failed at the start", () => {
  const rolesAsserting = (files: Record<string, string[]>) =>
    roleOf("lib/prices.js", files, [], [], ["lib/prices.js"]);
  test("is doubtful where tests alone load it, whatever it is called", () => {
    const files = { ...TESTS, "test/cart.test.js": ['"../lib/prices.js"'], "lib/prices.js": [] };
    expect(rolesAsserting(files)).toBe("doubtful");
    expect(roleOf("lib/prices.js", files)).toBe("sources");
  });
  test("is a source where sources need it", () => {
    const files = { ...TESTS, "lib/cart.js": ['"./prices.js"'], "lib/prices.js": [] };
    expect(rolesAsserting(files)).toBe("sources");
  });
});

describe("a program without a known ending", () => {
  test("is a source where its first line says what runs it", () => {
    expect(roleOf("bin/leap", { ...TESTS, "bin/leap": ["#!"] })).toBe("sources");
    expect(roleOf("tools/leap", { ...TESTS, "tools/leap": ["#!"] })).toBe("doubtful");
    expect(roleOf("bin/leap", { ...TESTS, "bin/leap": [] })).toBe("doubtful");
  });
});

describe("a file without code", () => {
  test("that sources name is a source", () => {
    const named = { ...TESTS, "src/rates.js": ["rates.json"], "README.md": ["rates.json"] };
    expect(roleOf("src/data/rates.json", named)).toBe("sources");
  });
  test("that sources name is one at the top of the project too, in no format of configurations", () => {
    const words = ["words.txt", "words.json", "answer"];
    const named = { ...TESTS, "main.js": words, "package.json": words, "notes.txt": words };
    expect(roleOf("words.txt", named)).toBe("sources");
    expect(roleOf("answer", named)).toBe("sources");
    expect(roleOf("words.json", named)).toBe("doubtful");
  });
  test("may be a page, a sheet or a query", () => {
    const named = { ...TESTS, "src/shop.js": ["receipt.html", "shop.css", "prices.sql"] };
    for (const path of ["views/receipt.html", "src/shop.css", "db/prices.sql"])
      expect(roleOf(path, named), path).toBe("sources");
    const golden = { ...TESTS, "test/shop.test.js": ["receipt.html"] };
    expect(roleOf("golden/receipt.html", golden)).toBe("doubtful");
  });
  test.each([
    ["templates/receipt.html", "src/page.js", "new URL('../templates/{name}.html', here)"],
    ["locales/de.json", "src/i18n.js", 'join(here, "..", "locales")'],
    ["shop/tables/de.csv", "shop/tax.py", 'files("shop") / "tables" / f"{country}.csv"'],
    ["mails/bill.tmpl", "mail.go", 'template.ParseFS(files, "mails/*.tmpl")'],
    ["rates_de.csv", "shop.rb", '"rates_#{country}.csv"'],
  ])("that sources find under a name which they put together is a source: %s", (...about) => {
    const [path, source, text] = about;
    expect(roleOf(path, { ...TESTS, [source]: [text] })).toBe("sources");
    for (const other of ["test/cart.test.js", "jest.config.js", "scripts/run.sh"]) {
      const named = { ...TESTS, [source]: [text], [other]: [text] };
      expect(roleOf(path, named), other).toBe("doubtful");
    }
  });
  test.each([
    ["data/half.txt", 'read("#{name}.txt")'],
    ["data/half.txt", 'read("database", "{}{}{}{}{}{}")'],
    ["half.txt", '"*"'],
  ])("is doubtful where a source may mean any file: %s by %s", (path, text) => {
    expect(roleOf(path, { ...TESTS, "src/cart.js": [text] })).toBe("doubtful");
  });
  test("is doubtful where no source names it", () => {
    expect(roleOf("src/data/rates.json", TESTS)).toBe("doubtful");
    expect(roleOf("src/data/rates.json", { ...TESTS, "README.md": ["rates.json"] })).toBe(
      "doubtful",
    );
  });
  test("is doubtful where tests or their configuration name it too", () => {
    const source = { ...TESTS, "src/rates.js": ["rates.json"] };
    for (const other of ["test/rates.test.js", "jest.config.js", "build/run.js"]) {
      const named = { ...source, [other]: ["rates.json"] };
      expect(roleOf("src/data/rates.json", named), other).toBe("doubtful");
    }
    const reported = { ...source, "checks/rates.js": ["rates.json"] };
    expect(roleOf("src/data/rates.json", reported, ["checks/rates.js"])).toBe("doubtful");
  });
});

describe("a configuration of the runner is no source", () => {
  test("because the list of what is packed names it", () => {
    const files = { ...TESTS, ".gitattributes": ["phpunit.xml.dist"] };
    expect(roleOf("phpunit.xml.dist", files)).toBe("doubtful");
  });
  test("because its documentation names it", () => {
    const files = { ...TESTS, "README.md": ["package.json", "pytest.ini"] };
    expect(roleOf("package.json", files)).toBe("doubtful");
    expect(roleOf("pytest.ini", files)).toBe("doubtful");
  });
  test("because a source names it: it lies where a runner looks", () => {
    const files = {
      "packages/a/src/version.js": ["package.json"],
      "packages/a/test/a.test.js": [],
      "packages/b/src/version.js": ["package.json"],
      "packages/b/checks/b.js": [],
      "bin/cli.js": ["package.json"],
    };
    expect(roleOf("package.json", files)).toBe("doubtful");
    expect(roleOf("packages/a/package.json", files)).toBe("doubtful");
    expect(roleOf("packages/b/package.json", files, ["packages/b/checks/b.js"])).toBe("doubtful");
    for (const path of ["go.mod", "CMakeLists.txt", "requirements.txt", "cart.gemspec", "justfile"])
      expect(roleOf(path, { "src/cart.c": [path] }), path).toBe("doubtful");
    expect(roleOf("src/.mocharc.json", { "src/x.js": [".mocharc.json"] })).toBe("doubtful");
  });
});

describe("a program in a folder of helpers, configurations or tools", () => {
  test.each([
    ["src/helpers/price.js", "src/cart.js", 'import { less } from "./helpers/price.js";'],
    ["src/config.ts", "src/routes/shop.ts", 'import { port } from "../config";'],
    ["src/config/index.ts", "src/main.ts", 'const { port } = require("./config");'],
    ["src/config/env.ts", "src/main.ts", 'import { port } from "@/config/env";'],
    ["src/routes/register.ts", "src/app.ts", 'import register from "./routes/register.js";'],
    ["shop/helpers/price.py", "shop/cart.py", "from shop.helpers.price import less"],
    ["shop/helpers/price.py", "shop/cart.py", "from .helpers import names, price"],
    ["shop/config.py", "shop/cart.py", "from .config import RATE"],
    ["internal/config/config.go", "main.go", 'import "example.org/shop/internal/config"'],
    ["src/config/mod.rs", "src/lib.rs", "mod config;"],
    ["src/shop/config/Rates.java", "src/shop/Cart.java", "import shop.config.Rates;"],
  ])("is a source where sources of the start need it: %s", (path, user, text) => {
    expect(roleOf(path, { ...TESTS, [path]: [], [user]: [text] })).toBe("sources");
  });
  test("is a source where such a program needs it", () => {
    const files = {
      ...TESTS,
      "src/helpers/price.js": [],
      "src/helpers/index.js": ['export * from "./price.js";'],
      "src/cart.js": ['import { less } from "./helpers/index.js";'],
    };
    expect(roleOf("src/helpers/price.js", files)).toBe("sources");
    const { "src/cart.js": _, ...unused } = files;
    expect(roleOf("src/helpers/price.js", unused)).toBe("doubtful");
  });
  test.each([
    ["only tests need it", "test/cart.test.js", 'import { less } from "../helpers/price.js";', ""],
    ["a source has its name as a word", "src/cart.js", "const price = (helpers) => 5;", ""],
    [
      "a configuration names it",
      "src/cart.js",
      'import { less } from "../helpers/price.js";',
      "price.js",
    ],
  ])("stays doubtful where %s", (_, user, text, configuration) => {
    const path = "helpers/price.js";
    const files = { ...TESTS, [path]: [], [user]: [text], "package.json": [configuration] };
    expect(roleOf(path, files)).toBe("doubtful");
  });
});

describe("a doubtful file is tried", () => {
  const isTried = (path: string, by: string[], tests: string[] = []) => {
    const name = path.split("/").at(-1) ?? path;
    const files = { ...TESTS, ...Object.fromEntries(by.map((file) => [file, [name]])) };
    const { doubtful, likelySources } = rolesIn(path, files, tests);
    expect(doubtful).toEqual([path]);
    return likelySources.length === 1;
  };

  test.each(["src/helpers/round.js", "src/config.js", "lib/tools/parse.py", "rates.json"])(
    "where sources alone name it: %s",
    (path) => {
      expect(isTried(path, ["src/cart.js"])).toBe(true);
      expect(isTried(path, [])).toBe(false);
      expect(isTried(path, ["src/cart.js", "jest.config.js"])).toBe(false);
    },
  );
  test("where tests name it too, if it is code", () => {
    expect(isTried("src/config.js", ["src/cart.js", "test/config.test.js"])).toBe(true);
    expect(
      isTried("src/config.js", ["src/cart.js", "checks/config.js"], ["checks/config.js"]),
    ).toBe(true);
    expect(isTried("rates.json", ["src/cart.js", "test/rates.test.js"])).toBe(false);
  });
  test("unless a configuration loads it", () => {
    expect(isTried("src/config.js", ["src/cart.js", "package.json"])).toBe(false);
  });
  test.each([
    ...["package.json", "tsconfig.json", "composer.json", "jest.config.js", "vitest.setup.ts"],
    ...[
      ".mocharc.js",
      ".github/run.js",
      "vendor/lib.js",
      "setup.py",
      "Rakefile",
      "pytest.ini",
      "phpunit.xml.dist",
    ],
  ])("unless a tool looks for it: %s", (path) => {
    expect(isTried(path, ["src/cart.js"])).toBe(false);
  });
});
