import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LoopState, parseProgress, renderProgress } from "../src/index.ts";
import { loopPair } from "./arbitrary-skill.ts";
import { loop } from "./given.ts";

/** Those that are read back. */
const SOURCES = ["develop.md", "debug.md", "validate.md"];
const DOCUMENTS = [...SOURCES, "summary.md"];
/** Everything a terminal or an editor would act upon instead of showing it; joiners are needed by scripts. */
const ACTIVE = /[^\n\t\P{Cc}]|[\p{Cs}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/u;

/** What a line is to Markdown: the kind of block it opens, and for tables the cells. */
function kindOf(line: string): string {
  if (line.trim() === "") return "";
  if (/^#{1,6} /.test(line)) return `heading ${line.indexOf(" ")}`;
  if (line.startsWith("|")) return `row ${line.match(/(?<!\\)(?:\\\\)*\|/g)?.length}`;
  if (/^(```|~~~)/.test(line)) return "fence";
  if (line === "---") return "rule";
  if (line.startsWith("- ")) return "item";
  if (/^\d+\. /.test(line)) return "number";
  if (line.startsWith("<!--")) return "data";
  return line.startsWith(">") ? "" : "text";
}

/** A line without the box and the code spans that we put around what is in them. */
function withoutOurs(line: string): string {
  if (line.startsWith(">")) return line;
  return line.replace(/^\d+\. \[[ x]\]/, "").replaceAll(/(?<= )(`+)(?!`).*?(?<!`)\1(?!`)/g, "");
}

/** Without our blocks of foreign text, each from its fence to the next line that is the same fence. */
const outsideBlocks = (document: string) =>
  document.replaceAll(/^ {2}(`{3,})text\n(?: {2}.*\n|\n)*? {2}\1$/gm, "block");

const skeleton = (document: string) =>
  outsideBlocks(document)
    .split("\n")
    .map(kindOf)
    .filter((k) => k !== "");

test("every skill_state comes back exactly, with nothing to note", () => {
  fc.assert(
    fc.property(loopPair, ({ nasty }) => {
      const parsed = parseProgress(renderProgress(nasty));
      expect(parsed.skill_state).toEqual(nasty.skill_state);
      expect(parsed.notes).toEqual([]);
      expect(parsed.loop).toMatchObject({ loop_id: "loop-a", title: nasty.title });
    }),
    { numRuns: 400 },
  );
});

test("agent text is inert: it changes neither the blocks of a document nor the screen of who reads it", {
  tags: ["slow"],
}, () => {
  fc.assert(
    fc.property(loopPair, ({ nasty, plain }) => {
      const files = renderProgress(nasty);
      const harmless = renderProgress(plain);
      for (const name of DOCUMENTS.filter((file) => file in files)) {
        const document = files[name] ?? "";
        expect(skeleton(document), name).toEqual(skeleton(harmless[name] ?? ""));
        const lines = outsideBlocks(document).trimEnd().split("\n");
        if (name !== "summary.md") {
          expect(lines.pop()).toMatch(/^<!-- ccw-loop:\w+ [^<>&]* -->$/);
        }
        for (const line of lines.filter((l) => !l.startsWith("|"))) {
          expect(withoutOurs(line)).not.toMatch(/(?<!\\)(?:\\\\)*[<[|]/);
          expect(line).not.toMatch(/^>\s+(?:[#>|*+=:~_-]|`{2}|\d+[.)](?:\s|$))/);
        }
      }
      for (const [name, text] of Object.entries(files)) expect(text, name).not.toMatch(ACTIVE);
    }),
    { numRuns: 400 },
  );
});

test("the data files hold what the state holds", () => {
  fc.assert(
    fc.property(loopPair, ({ nasty }) => {
      const files = renderProgress(nasty);
      const skill = nasty.skill_state;
      const json = (name: string) => JSON.parse(files[name] ?? "null");
      expect(json("hypotheses.json").hypotheses).toEqual(skill?.debug.hypotheses);
      expect(json("test-results.json").tests).toEqual(skill?.validate.test_results);
      const lines = (name: string) => (files[name] ?? "").split("\n").slice(0, -1);
      const done = skill?.develop.tasks.filter((t) => /completed|failed/.test(t.status)) ?? [];
      expect(
        lines("changes.log")
          .map((line) => JSON.parse(line).task_id)
          .sort(),
      ).toEqual(done.map((t) => t.id).sort());
      for (const line of lines("debug.log")) expect(JSON.parse(line)).toHaveProperty("hid");
    }),
    { numRuns: 100 },
  );
});

describe("a damaged document", () => {
  test("never throws, wherever it is cut, and says that it is damaged", () => {
    fc.assert(
      fc.property(
        loopPair,
        fc.constantFrom(...SOURCES),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (pair, name, share) => {
          const files = renderProgress(pair.nasty);
          const text = files[name];
          if (text === undefined) return;
          const cut = text.slice(0, Math.floor((text.length - 6) * share));
          const { notes } = parseProgress({ ...files, [name]: cut });
          expect(notes.join(" ")).toContain(name.replace(".md", ""));
        },
      ),
      { numRuns: 200 },
    );
  });

  test("keeps the others exact", () => {
    fc.assert(
      fc.property(loopPair, ({ nasty }) => {
        const files = renderProgress(nasty);
        delete files["debug.md"];
        delete files["hypotheses.json"];
        const { skill_state, notes } = parseProgress(files);
        expect(skill_state?.develop).toEqual(nasty.skill_state?.develop);
        expect(skill_state?.validate).toEqual(nasty.skill_state?.validate);
        expect(notes).toEqual([expect.stringContaining("debug.md is missing")]);
      }),
      { numRuns: 50 },
    );
  });

  test.each([
    ["missing", "", "develop.md: its data part is missing."],
    ["damaged", "<!-- ccw-loop:develop {", "develop.md: its data part is damaged."],
    [
      "of no loop",
      '<!-- ccw-loop:develop {"develop":1} -->',
      "develop.md: its data part is damaged.",
    ],
  ])("whose data part is %s tells nothing", (_, line, note) => {
    const { skill_state, loop, notes } = parseProgress({ "develop.md": `# Develop\n\n${line}\n` });
    expect([skill_state, loop]).toEqual([null, null]);
    expect(notes).toContain(note);
  });

  test("that was edited by hand is read by its data part when that is sound", () => {
    const state = loop({ status: "running", skill_state: { mode: "auto" } as never });
    const files = renderProgress(LoopState.parse(state));
    const edited = (files["develop.md"] ?? "").replace(/^# .*/, "# My notes\n\nhello");
    expect(parseProgress({ ...files, "develop.md": edited }).skill_state?.mode).toBe("auto");
  });
});

test("before INIT there are no documents, and no documents are no plan", () => {
  expect(renderProgress(loop())).toEqual({});
  expect(parseProgress({})).toEqual({
    skill_state: null,
    loop: null,
    notes: ["There are no progress documents."],
  });
});
