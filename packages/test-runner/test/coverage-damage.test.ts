import { mkdir, truncate } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readCoverage } from "../src/coverage/read-coverage.ts";
import { coverageOf, recordedCoverage } from "./coverage-outline.ts";
import { project } from "./project.ts";

const RECORDED: [string, string][] = [
  ["c8-lcov.info", "lcov.info"],
  ["c8-cobertura.xml", "coverage.xml"],
  ["c8-final.json.txt", "coverage/coverage-final.json"],
  ["vitest-clover.xml", "clover.xml"],
  ["python-coverage.json.txt", "coverage.json"],
  ["simplecov-resultset.json.txt", "coverage/.resultset.json"],
  ["jacoco.xml", "jacoco.xml"],
];

test.each(RECORDED)("takes nothing from %s when it is cut off", async (name, path) => {
  const whole = (await recordedCoverage(name)).trimEnd();
  const cuts = [0.1, 0.5, 0.9].map((part) => Math.floor(whole.length * part));
  for (const cut of [...cuts, whole.length - 1]) {
    expect(await coverageOf({ [path]: whole.slice(0, cut) })).toEqual([null]);
  }
});

const LINES = Array.from(
  { length: 10 },
  (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`,
);
const ENTITIES = `<!DOCTYPE coverage [<!ENTITY l0 "lol">${LINES.join("")}]>`;
const OUTSIDE = '<!DOCTYPE coverage [<!ENTITY up SYSTEM "file:///etc/passwd">]>';
const cobertura = (inside: string) => `<coverage line-rate="0.5">${inside}</coverage>`;

test.each<[string, Record<string, string>]>([
  ["entities that multiply", { "coverage.xml": ENTITIES + cobertura("<source>&l9;</source>") }],
  ["an entity from outside", { "coverage.xml": OUTSIDE + cobertura("<source>&up;</source>") }],
  [
    "elements nested too deeply",
    { "coverage.xml": cobertura("<a>".repeat(200) + "</a>".repeat(200)) },
  ],
  [
    "an element with too many attributes",
    {
      "coverage.xml": cobertura(
        `<a ${Array.from({ length: 2000 }, (_, at) => `a${at}=""`).join(" ")}/>`,
      ),
    },
  ],
  ["other XML", { "coverage.xml": "<project line-rate='1'/>" }],
  ["a rate above all", { "coverage.xml": '<coverage line-rate="7"/>' }],
  ["a rate that is none", { "coverage.xml": '<coverage line-rate="NaN"/>' }],
  ["JSON nested too deeply", { "coverage.json": "[".repeat(200_000) }],
  ["JSON that goes on behind its end", { "coverage.json": '{"total":{"lines":{"pct":50}}} {}' }],
  ["JSON of another kind", { "coverage.json": '{"lines":[1,2,3],"s":null,"files":7}' }],
  ["text", { "coverage.json": "not yet", "lcov.info": "not yet", "coverage.out": "not yet" }],
  ["more lines hit than found", { "lcov.info": "SF:a.js\nLF:2\nLH:5\nend_of_record\n" }],
  [
    "lines that cannot be",
    { "lcov.info": "SF:a.js\nDA:0,1\nDA:99999999999999999999,1\nDA:-4,1\nend_of_record\n" },
  ],
  ["lcov without a file", { "lcov.info": "DA:1,1\nLF:4\nLH:1\nend_of_record\n" }],
  ["a Go profile without a mode", { "c.out": "a.go:1.1,2.2 1 1\n" }],
  ["a Go block that ends before it starts", { "c.out": "mode: set\na.go:9.1,2.2 1 1\n" }],
  ["a Go block without end", { "c.out": "mode: set\na.go:1.1,999999999.2 1 1\n" }],
  ["an empty file", { "lcov.info": "", "coverage.xml": "", "coverage.json": "", "c.out": "" }],
])("takes nothing from %s", async (_, files) => {
  expect(await coverageOf(files)).toEqual([null]);
});

test("gives way to the next report when the first is damaged", async () => {
  const files = {
    "coverage/lcov.info": "SF:a.js\nDA:1,1\n",
    "coverage/clover.xml":
      '<coverage><file path="b.js"><line num="1" count="0"/></file></coverage>',
  };
  expect(await coverageOf(files)).toEqual([0, "b.js:  | 1"]);
});

test("takes no folder for a report, and no report from a folder with examples", async () => {
  const dir = await project({
    "test/fixtures/lcov.info": "SF:a.js\nDA:1,1\nend_of_record\n",
    "testdata/lcov.info": "SF:a.js\nDA:1,1\nend_of_record\n",
  });
  await mkdir(join(dir, "lcov.info"));
  expect(await readCoverage(dir, 0)).toEqual({ lines: null, files: [] });
  expect(await readCoverage(join(dir, "gone"), 0)).toEqual({ lines: null, files: [] });
});

test("takes nothing from reports that name more files and lines than are kept", async () => {
  const dir = await project({ "lcov.info": "SF:a.js\nDA:1,1\nDA:2,0\nend_of_record\n" });
  expect((await readCoverage(dir, 0, 3)).lines).toBe(50);
  expect(await readCoverage(dir, 0, 2)).toEqual({ lines: null, files: [] });
});

test("takes nothing from JSON of more than 256 MB", { timeout: 60_000 }, async () => {
  const dir = await project({ "coverage.json": '{"total":{"lines":{"pct":50}}}' });
  expect((await readCoverage(dir, 0)).lines).toBe(50);
  await truncate(join(dir, "coverage.json"), 256 * 1024 * 1024 + 1);
  expect((await readCoverage(dir, 0)).lines).toBeNull();
});

const line = fc.tuple(fc.integer({ min: 1, max: 3000 }), fc.nat({ max: 3 }));
const files = fc.dictionary(
  fc.stringMatching(/^[a-z][a-z0-9_ ]{0,8}\.js$/),
  fc.array(line, { minLength: 1, maxLength: 40 }),
  { minKeys: 1, maxKeys: 6 },
);

test("reads back every line that an lcov file tells, in any order and pieces", async () => {
  await fc.assert(
    fc.asyncProperty(files, fc.constantFrom("\n", "\r\n"), async (told, end) => {
      const records = Object.entries(told).map(([name, lines]) =>
        [`SF:${name}`, ...lines.map(([at, hits]) => `DA:${at},${hits}`), "end_of_record", ""].join(
          end,
        ),
      );
      const dir = await project({ "lcov.info": `TN:${end}${records.join("")}` });
      const { files: read } = await readCoverage(dir, 0);
      const expected = Object.entries(told).map(([path, lines]) => {
        const hit = new Set(lines.filter(([, hits]) => hits > 0).map(([at]) => at));
        const missed = new Set(lines.map(([at]) => at).filter((at) => !hit.has(at)));
        const sorted = (all: Set<number>) => [...all].sort((a, b) => a - b);
        return { path, hit: sorted(hit), missed: sorted(missed) };
      });
      expect(read.map(({ path, hit, missed }) => ({ path, hit, missed }))).toEqual(expected);
    }),
    { numRuns: 50 },
  );
});
