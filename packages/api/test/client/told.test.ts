import type { LiveEvent } from "@ccw-loop/core";
import { expect, test } from "vitest";
import { loopClient } from "../../src/client/index.ts";

const AT = "2026-01-22T10:00:00.000Z";

/** The message of a fact, as the server sends it; several facts of one commit differ in their index. */
function fact(revision: number, index = 0): string {
  const event = { type: "loop.edited", at: AT, changes: { notes: `${revision}.${index}` } };
  const recorded = { revision, actor: "operator", event };
  const data = JSON.stringify({ kind: "recorded", id: "a", recorded, index });
  return `event: loop.edited\ndata: ${data}\nid: ${revision}.${index}~0.0\n\n`;
}

/** What a watch behind revision 1 tells when its connections bring these texts, and how each was asked for. */
async function told(...connections: string[]) {
  const asked: { query: string; lastId: string | null }[] = [];
  const seen: LiveEvent[] = [];
  const abort = new AbortController();
  const fetch = async ({ url, headers }: Request) => {
    asked.push({ query: new URL(url).search, lastId: headers.get("last-event-id") });
    const text = connections.shift();
    if (text === undefined) abort.abort();
    return new Response(text ?? "", { headers: { "content-type": "text/event-stream" } });
  };
  const reconnect = { first: 1, most: 1 };
  const client = loopClient({ url: "http://127.0.0.1", fetch, reconnect });
  for await (const live of client.watch("a", { after: 1, signal: abort.signal })) seen.push(live);
  const notes = seen.map((live) =>
    live.kind === "recorded" && live.recorded.event.type === "loop.edited"
      ? live.recorded.event.changes.notes
      : live.kind,
  );
  return { notes, asked };
}

test("asks behind its revision, then behind the last message that came", async () => {
  const greeting = "event: ping\ndata: {}\nid: 1~5.0\n\n";
  const { notes, asked } = await told(greeting, fact(2) + fact(3), "");
  expect(notes).toEqual(["2.0", "3.0"]);
  expect(asked).toEqual([
    { query: "?after=1", lastId: null },
    { query: "?after=1", lastId: "1~5.0" },
    { query: "?after=1", lastId: "3.0~0.0" },
    { query: "?after=1", lastId: "3.0~0.0" },
  ]);
});

test("a fact that comes again is told once, in a commit of several, too", async () => {
  const { notes } = await told(fact(1) + fact(2) + fact(2, 1), fact(2) + fact(2, 1) + fact(2, 2));
  expect(notes).toEqual(["2.0", "2.1", "2.2"]);
});

test("a message that was cut in the middle is told when it comes whole", async () => {
  const cut = fact(3).slice(0, 40);
  const { notes } = await told(fact(2) + cut, fact(3));
  expect(notes).toEqual(["2.0", "3.0"]);
});

test("after a loop of the same name was made anew, its facts are told from there on", async () => {
  const resync = 'event: resync\ndata: {"id":"a","revision":1}\n\n';
  const { notes } = await told(fact(8), resync + fact(2));
  expect(notes).toEqual(["8.0", "2.0"]);
});

test("what it does not understand ends it with an error", async () => {
  const strange = "event: loop.edited\ndata: {}\n\n";
  await expect(told(strange)).rejects.toMatchObject({ code: "store_unavailable" });
});
