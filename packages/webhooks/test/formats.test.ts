import { type LoopEvent, LoopState } from "@ccw-loop/core";
import { memoryStore } from "@ccw-loop/testkit";
import { describe, expect, test } from "vitest";
import { sendSample, WebhookSettings } from "../src/index.ts";
import { hook, played, SECRET, sender } from "./support/loops.ts";
import { type Received, receiver } from "./support/receiver.ts";

const at = "2030-01-01T00:00:00.000Z";
const prompt = `@everyone <!channel> & \u001b[31mred ${"long ".repeat(2000)}`;

/** What arrives in that format of a loop that asks for much. */
async function arrived(settings: object): Promise<Received & { json: Record<string, unknown> }> {
  const there = await receiver();
  const store = memoryStore();
  const times = { created_at: at, updated_at: at };
  const state = { loop_id: "a", title: "Fix <the> cart", status: "running", ...times };
  await store.create(LoopState.parse(state), { actor: "test" });
  const url = `${there.url}/topic`;
  const sends = sender([hook({ url, secret: undefined, ...settings })], {
    store: async () => store,
  });
  const options = ["accept", "reject"];
  const waiting = { kind: "approval", since: at, prompt, options, about: "objections" } as const;
  const event: LoopEvent = { type: "waiting.started", at, waiting };
  await played(sends, store, "a", event);
  await sends.close();
  const [got] = there.got as [Received];
  return { ...got, json: JSON.parse(got.body) };
}

describe("the body of a message", () => {
  test("is Slack's, in which no text mentions anybody", async () => {
    const { json, headers } = await arrived({ format: "slack" });
    expect(Object.keys(json)).toEqual(["text"]);
    expect(json.text).toMatch(
      /^Needs you: Fix &lt;the&gt; cart \(cart\)\n@everyone &lt;!channel&gt; &amp; red/,
    );
    expect(json.text).toContain("Next: ccw-loop answer a accept\nor: ccw-loop answer a reject");
    expect(headers["webhook-signature"]).toBeUndefined();
  });

  test("is Discord's, within its bound, and calls nobody", async () => {
    const { json, headers } = await arrived({ format: "discord", secret: SECRET });
    expect(json.allowed_mentions).toEqual({ parse: [] });
    expect(String(json.content).length).toBeLessThanOrEqual(2000);
    expect(json.content).toContain("more characters)\nNext: ccw-loop answer a accept");
    expect(headers["webhook-signature"]).toMatch(/^v1,/);
  });

  test("is Telegram's, to the chat that was named", async () => {
    const { json } = await arrived({ format: "telegram", chat: -100123 });
    expect(json).toMatchObject({ chat_id: -100123, link_preview_options: { is_disabled: true } });
    expect(String(json.text).length).toBeLessThanOrEqual(4096);
  });

  test("is ntfy's, at the address above the topic", async () => {
    const { json, path } = await arrived({ format: "ntfy" });
    expect(path).toBe("/");
    expect(json).toMatchObject({
      topic: "topic",
      title: "Needs you: Fix <the> cart (cart)",
      tags: ["raising_hand"],
      priority: 4,
    });
    expect(Buffer.byteLength(String(json.message))).toBeLessThanOrEqual(4096);
  });

  test("is plain JSON with the whole question, within bounds and without what a screen would act upon", async () => {
    const { json } = await arrived({ secret: SECRET });
    expect(json).toMatchObject({ type: "loop.needs_you", timestamp: at });
    const { asked } = json.data as { asked: { prompt: string; options: string[] } };
    expect(asked.options).toEqual(["accept", "reject"]);
    expect(asked.prompt).toMatch(/^@everyone <!channel> & red long/);
    expect(asked.prompt.length).toBeLessThan(4100);
  });
});

test("a sample is one, and says so to programs and people", async () => {
  const there = await receiver(204, 401);
  const now = new Date(at);
  expect(await sendSample(hook({ url: there.url }), "cart", now)).toEqual({
    delivered: true,
    status: 204,
  });
  const slack = hook({ url: there.url, format: "slack" });
  expect(await sendSample(slack, "cart", now)).toMatchObject({
    delivered: false,
    final: true,
    reason: expect.stringMatching(/^127\.0\.0\.1:\d+ answered 401$/),
  });
  const [json, text] = there.got.map(({ body }) => JSON.parse(body));
  expect(json.data).toMatchObject({ sample: true, state: "needs you", loop: { id: "sample" } });
  expect(text.text).toContain("A sample. Needs you: Try the webhook (cart)");
});

describe("settings", () => {
  const opened =
    (settings: object, env = {}) =>
    () =>
      hook({ url: "https://a.example", ...settings }, env);

  test.each<[string, object, string]>([
    [
      "an address of another kind",
      { url: "ftp://a.example/s3cret" },
      "url is no http or https address",
    ],
    ["no address", { url: "s3cret" }, "url is no http or https address"],
    [
      "a password in the address",
      { url: "https://s3cret:s3cret@a.example" },
      "has a name and password",
    ],
    [
      "a variable that is not set",
      { url: { env: "HOOK" } },
      "is to come from HOOK, which is not set",
    ],
    ["a short secret", { secret: "whsec_s3cret" }, "secret is not whsec_ and 24 to 64 bytes"],
    ["a secret of another form", { secret: "s3cret".repeat(6) }, "secret is not whsec_"],
    ["no secret", { secret: undefined }, "secret is needed for the format json"],
    ["Telegram without a chat", { format: "telegram" }, "chat is needed"],
    ["ntfy without a topic", { format: "ntfy" }, "names no topic"],
    [
      "a header of two lines",
      { headers: { "X-A": "s3cret\r\nX-B: 1" } },
      "headers.X-A is no value",
    ],
  ])("of %s are refused by name, without their values", (_, settings, reason) => {
    expect(opened(settings)).toThrow(reason);
    expect(opened(settings)).toThrow(/^webhooks\.team\.(?!.*s3cret)/);
  });

  test.each([
    ["a header of ours", { headers: { "webhook-id": "1" } }],
    ["a state that there is not", { states: ["done"] }],
    ["no state at all", { states: [] }],
    ["a format that there is not", { format: "xml" }],
    ["a key that there is not", { method: "PUT" }],
    ["a variable that is none", { url: { env: "A B" } }],
  ])("of %s are none", (_, settings) => {
    expect(WebhookSettings.safeParse({ url: "https://a.example", ...settings }).success).toBe(
      false,
    );
  });

  test("may come from the environment", () => {
    const { key, url, headers } = opened(
      { url: { env: "HOOK" }, secret: { env: "KEY" }, headers: { "X-A": { env: "A" } } },
      { HOOK: "https://b.example/x", KEY: SECRET, A: "1" },
    )();
    expect(url.href).toBe("https://b.example/x");
    expect(key).toEqual(Buffer.alloc(32, 7));
    expect(headers).toEqual({ "X-A": "1" });
  });
});
