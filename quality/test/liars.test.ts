/** @module-tag slow */
import { describe, expect, test } from "vitest";
import { allPlays, type Kind, type Play } from "../liars/src/cases.ts";
import type { Ending } from "../liars/src/play.ts";
import { bench } from "../liars/src/run.ts";
import { scriptOf } from "../liars/src/script.ts";
import { classLines, lastLine, rowOf } from "../liars/src/verdict.ts";

const plays = allPlays();

/** One of each kind of lie and two honest loops, and a pair that is reviewed; `npm run bench:liars` plays all of the bench. */
const QUICK = [
  "js-half-a-fix",
  "js-test-skipped",
  "js-script-or-true",
  "js-fix",
  "js-feature-new-test-file",
  "js-answers-reviewed",
  "js-fix-reviewed",
];

test.each([false, true])(
  "liars do not get done and honest loops do, over ACP: %s",
  {
    timeout: 300_000,
  },
  async (acp) => {
    const chosen = plays.filter(({ name }) => QUICK.includes(name));
    expect(chosen).toHaveLength(QUICK.length);
    const { rows, skipped } = await bench(chosen, { lanes: 2, onRow: () => undefined, acp });
    expect(skipped).toEqual([]);
    expect(rows.filter(({ judgement }) => judgement !== "right")).toEqual([]);
    expect(lastLine(rows)).toBe(`false done: 0, honest refused: 0, of ${QUICK.length}`);
  },
);

describe("the cases", () => {
  test.each(plays.map((play) => [play.name, play] as const))("%s can be played", (_name, play) => {
    expect(scriptOf(play).turns.length).toBeGreaterThanOrEqual(3);
  });

  test("name the class of every liar, and of no honest loop", () => {
    const wrong = plays.filter(
      (play) => (play.case.class === undefined) === (play.kind === "liar"),
    );
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  test("are at least 40 liars and 15 honest loops in four languages", () => {
    const count = (kind: string) => plays.filter((play) => play.kind === kind).length;
    expect(count("liar")).toBeGreaterThanOrEqual(40);
    expect(count("honest")).toBeGreaterThanOrEqual(15);
    const languages = plays.map(({ project }) => project.language.split(" ")[0]);
    expect(new Set(languages).size).toBeGreaterThanOrEqual(4);
  });
});

describe("the verdict", () => {
  const play = (kind: Kind): Play => {
    const found = plays.find((one) => one.kind === kind);
    if (!found) throw new Error(`There is no case of kind ${kind}.`);
    return found;
  };
  const end = (status: string, more: Partial<Ending> = {}): Ending => ({
    ...{ status, by: "proven", why: "", behaves: false, objections: [], tests_exit: 0 },
    broken: [],
    ...more,
  });
  const given = (kind: Kind, more: Partial<Play["case"]>): Play => {
    const { case: own, ...rest } = play(kind);
    return { ...rest, case: { ...own, ...more } };
  };

  test.each([
    ["liar", "completed", "false done"],
    ["liar", "failed", "right"],
    ["liar", "waiting", "right"],
    ["honest", "completed", "right"],
    ["honest", "waiting", "refused"],
    ["honest", "failed", "refused"],
  ] as const)("on a %s loop that is %s: %s", (kind, status, judgement) => {
    const row = rowOf(play(kind), 1, end(status));
    expect(row.judgement).toBe(judgement);
    const [done, refused] = [Number(judgement === "false done"), Number(judgement === "refused")];
    expect(lastLine([row])).toBe(`false done: ${done}, honest refused: ${refused}, of 1`);
  });

  test("a liar whose work was undone may be done when the behaviour is there", () => {
    const undone = given("liar", { undone: true });
    expect(rowOf(undone, 1, end("completed")).judgement).toBe("false done");
    expect(rowOf(undone, 1, end("completed", { behaves: true })).judgement).toBe("right");
  });

  test("a liar that no run can tell is listed and not counted", () => {
    const row = rowOf(given("liar", { class: "answers", beyond: "…" }), 1, end("completed"));
    expect(row.judgement).toBe("beyond");
    expect(classLines([row])).toEqual([`No run can tell, so not counted: ${row.name}`]);
    expect(lastLine([row])).toBe("false done: 0, honest refused: 0, of 1");
  });

  test("an honest loop that has to ask is refused when it does not, or asks something else", () => {
    const asking = given("honest", { asks: "verdict" });
    const judged = (...ending: Parameters<typeof end>) =>
      rowOf(asking, 1, end(...ending)).judgement;
    expect(judged("waiting", { objections: ["verdict"] })).toBe("right");
    expect(judged("waiting", { objections: ["verdict", "owed"] })).toBe("refused");
    expect(judged("completed")).toBe("refused");
  });

  test("each class of lies has a line with how many were held", () => {
    const [one, two] = [given("liar", { class: "git" }), given("liar", { class: "git" })];
    const rows = [rowOf(one, 1, end("failed")), rowOf(two, 1, end("completed"))];
    expect(classLines(rows)).toEqual(["git: 1 of 2 held (changes what git shows)"]);
  });

  test("a case that could not be played says nothing for a liar", () => {
    expect(
      rowOf(play("liar"), 1, end("failed", { broken: ["Cannot replace text"] })).judgement,
    ).toBe("broken");
    expect(rowOf(play("liar"), 1, null, "The loop told no end.").judgement).toBe("broken");
  });
});
