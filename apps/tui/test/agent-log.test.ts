import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Activity } from "@ccw-loop/core";
import { type AgentLog, emptyAgentLog, LINES_KEPT, withActivity } from "@ccw-loop/view";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foundLine } from "../src/screens/loop/panes/agent.ts";

type Event = Activity["event"];

function record(event: Event): Activity {
  return { at: "2026-01-22T10:00:00.000Z", action: "DEVELOP", event };
}

const say = (text: string) => record({ type: "message.delta", text });
const print = (text: string) => record({ type: "command.output", text });
const done = (text: string) => record({ type: "message.completed", text });

function logOf(...records: Activity[]): AgentLog {
  return withActivity(emptyAgentLog, records);
}

function texts({ lines }: AgentLog): string[] {
  return lines.map(({ text }) => text);
}

/** Text as agents print it: lines, colors, titles, cursor moves, cut sequences, every line break there is. */
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary", maxLength: 8 }),
      fc.constantFrom(
        "\n",
        "\r\n",
        "\r",
        "\u2028",
        "\u001b[31m",
        "\u001b]0;title\u0007",
        "\u001b[",
      ),
      fc.constantFrom("ACTION_RESULT:", "{", "```", "**", "- ", "漢字", "👩‍👩‍👧", "\u202e", "\t"),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(""));

/** The same text in pieces that end anywhere. */
function pieces(text: string, cuts: readonly number[]): string[] {
  const at = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].toSorted((a, b) => a - b);
  return [...at, text.length].map((end, i) => text.slice(at[i - 1] ?? 0, end));
}

describe("the agent's lines", () => {
  it("are the same however the text comes in pieces, in batches or alone", () => {
    fc.assert(
      fc.property(
        hostile,
        fc.array(fc.nat(), { maxLength: 12 }),
        fc.constantFrom(say, print),
        (text, cuts, make) => {
          const whole = logOf(make(text));
          const parts = pieces(text, cuts).map(make);
          expect(texts(withActivity(emptyAgentLog, parts))).toEqual(texts(whole));
          const alone = parts.reduce((log, part) => withActivity(log, [part]), emptyAgentLog);
          expect(texts(alone)).toEqual(texts(whole));
        },
      ),
      { numRuns: 500 },
    );
  });

  it("hold nothing that a terminal obeys, and no line is longer than 500", () => {
    fc.assert(
      fc.property(fc.array(hostile, { maxLength: 6 }), (all) => {
        const log = logOf(...all.map((text, i) => (i % 2 === 0 ? say(text) : print(text))));
        for (const { text } of log.lines) {
          // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
          expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
          expect(text.length).toBeLessThanOrEqual(500);
          expect(text.trim()).not.toBe("");
        }
      }),
      { numRuns: 300 },
    );
  });

  it("leave an ACTION_RESULT out, whether it is the message or its end, and go on behind it", () => {
    const log = logOf(
      say("I wrote the flag.\n\n"),
      say("**ACTION_"),
      say("RESULT**:\n- status: success\n"),
      say("- message: done\n"),
      done("I wrote the flag.\n\n**ACTION_RESULT**: …"),
      say('{"action":'),
      say('"DEVELOP"}'),
      done('{"action":"DEVELOP"}'),
      print("ACTION_RESULT is only a word here\n"),
    );
    expect(texts(log)).toEqual(["I wrote the flag.", "ACTION_RESULT is only a word here"]);
  });

  it("hold back the beginning of a message only while it may become a result", () => {
    expect(texts(logOf(say("ACTION")))).toEqual([]);
    expect(texts(logOf(say("ACTION"), say("S to take")))).toEqual(["ACTIONS to take"]);
    expect(texts(logOf(say("ACTION"), done("ACTION")))).toEqual(["ACTION"]);
  });

  it("tell commands, files, warnings and turns on lines of their own, in their tones", () => {
    const log = logOf(
      record({ type: "prompt.sent", text: "a long prompt" }),
      say("half a sen"),
      record({ type: "command.started", command: "npm test\n--all" }),
      print("ok"),
      record({ type: "usage.updated", usage: USAGE }),
      print("ay\n"),
      record({ type: "files.changed", paths: ["a.js"] }),
      record({ type: "warning.raised", message: "slow" }),
    );
    expect(log.lines).toEqual([
      { tone: "strong", text: "── DEVELOP ──" },
      { tone: "plain", text: "half a sen" },
      { tone: "name", text: "$ npm test --all" },
      { tone: "quiet", text: "okay" },
      { tone: "quiet", text: "changed a.js" },
      { tone: "warning", text: "slow" },
    ]);
  });

  it("tell a message whole whose pieces were not seen, and how much was left out", () => {
    const log = withActivity(emptyAgentLog, [done("All of it.")], { leftOut: 1200 });
    expect(texts(log)).toEqual([
      "… 1200 pieces of output came too fast and are left out",
      "All of it.",
    ]);
  });
});

const USAGE = { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1, total_tokens: 2 };

describe("the bound of the log", () => {
  it("keeps the newest lines and counts what fell out, however many come", () => {
    let log = emptyAgentLog;
    for (let batch = 0; batch < 60; batch++) {
      const text = Array.from({ length: 700 }, (_, i) => `line ${batch * 700 + i}\n`).join("");
      log = withActivity(log, [print(text), print("still op"), print("en\n")]);
      expect(log.lines.length).toBeLessThanOrEqual(LINES_KEPT);
    }
    expect(log.dropped + log.lines.length).toBe(60 * 701);
    expect(log.lines.at(-1)?.text).toBe("still open");
    expect(log.lines[0]?.text).toBe(`line ${log.dropped - Math.floor(log.dropped / 701)}`);
  });

  it("bounds one batch that is larger than the log", () => {
    const text = Array.from({ length: 3 * LINES_KEPT + 5 }, (_, i) => `${i}\n`).join("");
    const log = logOf(print(`${text}open`));
    expect(log.lines).toHaveLength(LINES_KEPT);
    expect(log.dropped).toBe(2 * LINES_KEPT + 6);
    expect(texts(withActivity(log, [print("ed")])).at(-1)).toBe("opened");
  });

  it("does not keep what it does not show: a short line does not hold the piece it came in", () => {
    setFlagsFromString("--expose-gc");
    const collect: () => void = runInNewContext("gc");
    collect();
    const before = process.memoryUsage().heapUsed;
    let log = emptyAgentLog;
    for (let i = 0; i < 300; i++) {
      log = withActivity(log, [
        print(`a line of its own, number ${i}\n${"x".repeat(200_000)}${i}\n`),
      ]);
    }
    collect();
    expect(log.lines).toHaveLength(600);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000);
  });
});

describe("a search", () => {
  const log = logOf(print("one apple\ntwo pears\nThree APPLES\nfour\n"));

  it.each([
    ["the next one in any case", { from: 1, forward: true }, 2],
    ["the one before", { from: 1, forward: false }, 0],
    ["from the end on to the first again", { from: 3, forward: true }, 0],
    ["from the beginning back to the last again", { from: 0, forward: false }, 0],
  ])("finds %s", (_, where, line) => {
    expect(foundLine(log, "apple", where)).toBe(line);
  });

  it("finds nothing where there is nothing, or nothing is looked for", () => {
    expect(foundLine(log, "plum", { from: 0, forward: true })).toBeNull();
    expect(foundLine(log, "", { from: 0, forward: true })).toBeNull();
    expect(foundLine(emptyAgentLog, "a", { from: 0, forward: true })).toBeNull();
  });

  it("counts lines from the beginning of the log, also when some fell out", () => {
    const many = Array.from({ length: LINES_KEPT + 10 }, (_, i) => `line ${i}\n`).join("");
    expect(foundLine(logOf(print(many)), "line 17", { from: 0, forward: true })).toBe(17);
  });
});
