import { readFileSync } from "node:fs";
import { fsStore } from "@ccw-loop/store-fs";
import { describe, expect, test } from "vitest";
import { BYTES } from "./attacks/bytes.ts";
import { CONTENT } from "./attacks/content.ts";
import { ELSEWHERE } from "./attacks/elsewhere.ts";
import type { Check } from "./attacks/row.ts";
import { STRANGERS } from "./attacks/strangers.ts";
import { served } from "./node/served.ts";

const ROWS = [...STRANGERS, ...BYTES, ...CONTENT, ...ELSEWHERE];

describe.each(ROWS)("$attack", ({ here = [], elsewhere = [] }) => {
  const check = async ({ run, limits }: Check) => {
    const door = await served(
      { limits: { shutdownMs: 200, ...limits } },
      { store: (root) => fsStore({ root }) },
    );
    await run(door);
  };
  test.each(here.filter(({ waits }) => !waits))("$name", check);
  test.each(here.filter(({ waits }) => waits))("$name", { tags: ["slow"] }, check);

  test.each(elsewhere)("is tried in $file: $test", ({ file, test: name }) => {
    const text = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
    expect(text).toContain(name);
  });
});
