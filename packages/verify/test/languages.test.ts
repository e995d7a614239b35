import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { modulesUsed } from "../src/replay/replay.ts";
import { write } from "./write.ts";

const FILES = {
  "src/cart.ts": "",
  "src/coupons/index.js": "",
  "lib/old.cjs": "",
  "test/helper.js": "",
  "test/cart.test.ts": `import { total } from "../src/cart.js";
import coupons from "../src/coupons";
import "./helper.js";
import "../src/missing.js";
import { readFileSync } from "node:fs";
`,
  "test/old.test.cjs": 'const { old } = require("../lib/old");\n',
  "shop/__init__.py": "",
  "shop/prices.py": "",
  "src/till.py": "",
  "tests/test_shop.py":
    "import os\nfrom shop import prices, rates\nimport till\nfrom . import shop\n",
};

test("modules that tests load are found where they are", async () => {
  const dir = await mkdtemp(join(tmpdir(), "ccw-loop-used-"));
  try {
    await write(dir, FILES);
    const tests = ["test/cart.test.ts", "test/old.test.cjs", "tests/test_shop.py", "gone.test.js"];
    expect(await modulesUsed(tests, dir)).toEqual([
      ...["src/cart.ts", "src/coupons/index.js", "lib/old.cjs"],
      ...["shop/__init__.py", "shop/prices.py", "src/till.py"],
    ]);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
