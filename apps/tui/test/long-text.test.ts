import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { widthOf } from "@ccw-loop/view";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { fieldRows } from "../src/components/field.tsx";
import { steady, textOf } from "../src/components/line.ts";
import { editedText, textOfFile } from "../src/effects/editor.ts";
import type { Answer } from "../src/model/effect.ts";
import { edited, emptyText, type Field, fieldOf, graphemesOf } from "../src/model/field.ts";
import { topScreen } from "../src/model/model.ts";
import type { CreateState, PromptState } from "../src/model/screen-states.ts";
import { ALL, home, running } from "./support/home.ts";
import { folder } from "./support/place.ts";
import { Told } from "./support/recorded-loop.ts";
import { heard, seen } from "./support/seen.tsx";
import { SIZES } from "./support/sizes.ts";

const LINES = "Fix the cart:\n\n\t- count the quantity\n\t- 把折扣四捨五入 🛒";
const port = ALL.find(({ loop_id }) => loop_id === "port") ?? running;

/** The calls that were asked for since the last time. */
const calls = (told: Told) =>
  told.effects.splice(0).flatMap((effect) => (effect.type === "call" ? [effect.call] : []));

/** What is asked for comes back with that text. */
function back(told: Told, value: string): Told {
  const call = calls(told).find(({ name }) => name === "edit" || name === "read");
  if (!call) throw new Error("No text was asked for.");
  return told.tell({
    type: "answered",
    answer: { name: call.name, call, ok: true, value } as Answer,
  });
}

const SCREENS = {
  "a new loop": {
    open: () => home().press("n"),
    text: (told: Told) => (topScreen(told.model) as CreateState).fields.task.text,
    send: "ctrl+s",
    sent: (text: string) => ({ name: "create", spec: { description: text } }),
  },
  "a task": {
    open: () => new Told(SIZES[0]).open(running).press("t", "a"),
    text: (told: Told) => (topScreen(told.model) as PromptState).field.text,
    send: "enter",
    sent: (text: string) => ({ command: { type: "add_task", task: { description: text } } }),
  },
  "an answer": {
    open: () => new Told(SIZES[0]).open(port).press("esc", "a"),
    text: (told: Told) => (topScreen(told.model) as PromptState).field.text,
    send: "enter",
    sent: (text: string) => ({ command: { type: "answer", text } }),
  },
} as const;

describe.each(Object.entries(SCREENS))("%s", (_, { open, text, send, sent }) => {
  test("keeps the lines of what is pasted, typed and sent", () => {
    const told = open().tell({ type: "pasted", text: LINES });
    expect(text(told)).toBe(LINES);
    told.press("alt+enter", "o", "ctrl+j", "k");
    expect(text(told)).toBe(`${LINES}\no\nk`);
    expect(seen(told.model)).toMatch(/ - count the quantity\W*\n[^\n]* - 把折扣四捨五入/);
    expect(heard(told.model)).toContain("Fix the cart:");
    told.effects.length = 0;
    expect(calls(told.press(send))).toMatchObject([sent(`${LINES}\no\nk`)]);
  });

  test("is written in an editor", () => {
    const told = open().type("x");
    told.effects.length = 0;
    told.press("ctrl+g");
    expect(told.effects).toEqual([{ type: "call", call: { name: "edit", text: "x" } }]);
    expect(text(back(told, LINES))).toBe(LINES);
  });

  test("reads a file that is named instead, and sends it when it was seen", () => {
    const told = open().type("@notes/cart.md");
    told.effects.length = 0;
    told.press(send);
    expect(text(back(told, LINES))).toBe(LINES);
    expect(seen(told.model)).toContain("This is the text of notes/cart.md.");
    expect(calls(told.press(send))).toMatchObject([sent(LINES)]);
  });

  test("moves its cursor from line to line", () => {
    const told = open().tell({ type: "pasted", text: "one\ntwo" });
    expect(text(told.press("up", "end").type("!"))).toBe("one!\ntwo");
    expect(text(told.press("down", "home").type("?"))).toBe("one!\n?two");
  });
});

test("the arrows leave the task of a new loop at its first and last line", () => {
  const told = home().press("n").tell({ type: "pasted", text: "one\ntwo" });
  const focus = () => (topScreen(told.model) as CreateState).focus;
  told.press("up");
  expect(focus()).toBe("task");
  told.press("down");
  expect(focus()).toBe("task");
  told.press("down");
  expect(focus()).not.toBe("task");
});

test("a field of one line stays one, and a line feed is its Enter", () => {
  const told = home().press("/").tell({ type: "pasted", text: "add\na" });
  expect(seen(told.press("ctrl+j").model)).toContain(" / add a");
  expect(seen(told.model)).toContain("enter open");
});

const KEYS = ["up", "down", "left", "right", "home", "end", "backspace", "ctrl+k", "ctrl+w"];
const steps = fc.array(
  fc.oneof(
    fc.constantFrom(...KEYS).map((key) => ({ key, text: "" })),
    fc
      .string({
        unit: fc.constantFrom("a", " ", "\n", "\t", "漢", "👩‍🚀", "e\u0301"),
        maxLength: 30,
      })
      .map((text) => ({ key: "paste", text })),
  ),
  { maxLength: 20 },
);

test("every row fits, and one of them has the cursor, whatever was typed", () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 4, max: 40 }), (presses, columns) => {
      const field = presses.reduce<Field>((now, one) => edited(now, one) ?? now, emptyText);
      const { lines, at } = fieldRows(field, { columns, focused: true });
      for (const row of lines) expect(widthOf(textOf(row))).toBeLessThanOrEqual(columns);
      const cursors = lines.flatMap((row, i) => (row.some(({ inverse }) => inverse) ? [i] : []));
      expect(cursors).toEqual([at]);
      if (field.text === "") return;
      const bare = fieldRows(field, { columns, focused: false }).lines.map(textOf).join("");
      const shown = graphemesOf(field.text.replaceAll("\n", "").replaceAll("\t", "  "));
      expect(bare).toBe(shown.map(steady).join(""));
    }),
  );
});

test("a text is broken between words", () => {
  const field = fieldOf("count every quantity in the cart\nonce", emptyText);
  const rows = fieldRows(field, { columns: 17, focused: false }).lines.map(textOf);
  expect(rows).toEqual(["count every ", "quantity in the ", "cart", "once"]);
});

describe("the editor", () => {
  const env = { PATH: process.env.PATH };
  test("gets the text, and what it leaves is the text; nothing else stays", async () => {
    const script = join(folder(), "editor");
    const here = folder();
    vi.stubEnv("TMPDIR", here);
    onTestFinished(() => void vi.unstubAllEnvs());
    writeFileSync(script, 'printf "%s\\n" "$1" "$(cat "$2")" "two" > "$2.new"; mv "$2.new" "$2"');
    const EDITOR = `sh '${script}' --wait`;
    expect(await editedText("one\n  more", { ...env, EDITOR })).toBe("--wait\none\n  more\ntwo");
    expect(await editedText("one", { ...env, EDITOR: "false", VISUAL: "true" })).toBe("one");
    expect(readdirSync(here)).toEqual([]);
  });

  test("leaves the text as it was when it fails, and says so", async () => {
    await expect(editedText("one", { ...env, EDITOR: "sh -c 'exit 3'" })).rejects.toThrow(
      "The editor sh -c 'exit 3' ended with exit code 3; the text is as it was.",
    );
  });

  test("may not leave more than a field takes", async () => {
    const EDITOR = "head -c 30000 /dev/zero | tr '\\0' x >";
    await expect(editedText("", { ...env, EDITOR })).rejects.toThrow(/has 30000 characters/);
  });
});

describe("the text of a file", () => {
  test("is read below the folder, or by its whole path", async () => {
    const cwd = folder();
    writeFileSync(join(cwd, "notes.md"), `${LINES}\n\n`);
    expect(await textOfFile(cwd, "notes.md")).toBe(LINES);
    expect(await textOfFile("/", join(cwd, "notes.md"))).toBe(LINES);
  });

  test("that cannot be read is a sentence", async () => {
    await expect(textOfFile(folder(), "none.md")).rejects.toThrow(/none\.md cannot be read: /);
  });
});
