import { LoopError } from "@ccw-loop/core";
import { describe, expect, it } from "vitest";
import { ask, conversation, type TurnInput } from "./conversations.ts";

/** What the script answers to these prompts, one after the other; an error stands for itself. */
async function answers(turns: TurnInput[], prompts: string[]): Promise<string[]> {
  const { session } = await conversation(turns);
  const texts: string[] = [];
  for (const prompt of prompts) {
    texts.push(await ask(session, prompt).then(({ text }) => text, String));
  }
  return texts;
}

describe("which turn is played", () => {
  it("is one after the other", async () => {
    expect(await answers([{ answer: "1" }, { answer: "2" }], ["a", "b"])).toEqual(["1", "2"]);
  });

  it("is the last one again and again when it repeats", async () => {
    const turns = [{ answer: "1" }, { answer: "2", repeat: true }];
    expect(await answers(turns, ["a", "b", "c"])).toEqual(["1", "2", "2"]);
  });

  it("is the first unused one whose condition fits", async () => {
    const turns: TurnInput[] = [
      { when: "PLAN", answer: "plan" },
      { when: ["WORK", "/task-\\d+/i"], answer: "work", repeat: true },
      { answer: "anything" },
    ];
    const prompts = ["WORK Task-1", "PLAN", "WORK TASK-2", "WORK without a number"];
    expect(await answers(turns, prompts)).toEqual(["work", "plan", "work", "anything"]);
  });

  it("fails with agent_failed when the script is exhausted, and says so", async () => {
    const { session } = await conversation([{ answer: "1" }]);
    await ask(session);
    const error: unknown = await ask(session, "And now?").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(LoopError);
    expect(error).toMatchObject({ code: "agent_failed" });
    expect(error).toHaveProperty("message", expect.stringMatching(/exhausted.*"And now\?"/));
  });

  it("fails when the turns that are left wait for other prompts", async () => {
    const [text] = await answers([{ when: "PLAN", answer: "1" }], ["WORK"]);
    expect(text).toMatch(/no turn for this prompt.*"WORK"/);
  });

  it("fails loudly on an unexpected prompt, naming both, and waits for the right one", async () => {
    const turns = [{ expect: "# ACTION: DEBUG", answer: "1" }];
    const [first, second] = await answers(turns, ["# ACTION: INIT", "# ACTION: DEBUG"]);
    expect(first).toMatch(/Turn 1 .*expects "# ACTION: DEBUG".*"# ACTION: INIT"/);
    expect(second).toBe("1");
  });

  it("is the next one after a scripted failure or crash", async () => {
    const turns: TurnInput[] = [
      { steps: [{ fail: "usage_limit" }] },
      { steps: [{ crash: true }] },
      { answer: "back" },
    ];
    const [limit, crash, back] = await answers(turns, ["a", "b", "c"]);
    expect([limit, crash]).toEqual([
      expect.stringContaining("usage_limit"),
      expect.stringContaining("died"),
    ]);
    expect(back).toBe("back");
  });
});

describe("an interrupted turn", () => {
  const hanging: TurnInput = { steps: [{ write: { path: "a.txt", content: "" } }, { hang: true }] };

  async function interrupted(turn: TurnInput) {
    const { session } = await conversation([turn, { answer: "next" }]);
    const control = new AbortController();
    const run = session.run("Go on.", {
      signal: control.signal,
      onEvent: (event) => event.type === "files.changed" && control.abort("stop"),
    });
    await expect(run).rejects.toBe("stop");
    return session;
  }

  it("is played again from its beginning", async () => {
    const session = await interrupted(hanging);
    const control = new AbortController();
    const events: string[] = [];
    const again = session.run("Go on.", {
      signal: control.signal,
      onEvent: ({ type }) => {
        events.push(type);
        control.abort("again");
      },
    });
    await expect(again).rejects.toBe("again");
    expect(events).toEqual(["files.changed"]);
  });

  it("is not played again when it says once", async () => {
    const session = await interrupted({ ...hanging, once: true });
    expect((await ask(session)).text).toBe("next");
  });
});
