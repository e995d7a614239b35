import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { pageFolder } from "../src/index.ts";

const assets = readdirSync(new URL("assets/", pageFolder));
const read = (name: string) => readFileSync(new URL(name, pageFolder));

test("what is loaded first is 200 kB at most, compressed", () => {
  const all = ["index.html", ...assets.map((name) => `assets/${name}`)];
  const bytes = all.reduce((sum, name) => sum + gzipSync(read(name), { level: 9 }).length, 0);
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThan(200_000);
});

test("the document names files of its own alone, and has nothing inline", () => {
  const text = read("index.html").toString();
  const named = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url);
  expect(named.length).toBeGreaterThan(2);
  for (const url of named) expect(url).toMatch(/^\.\/assets\/[\w.-]+$/);
  expect(text).not.toMatch(/<style|style=|<script(?![^>]* src=)|\son\w+=/);
});
