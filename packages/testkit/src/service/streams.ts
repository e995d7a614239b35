import type { Activity, LiveEvent, LoopService } from "@ccw-loop/core";
import { describe, expect, it, vi } from "vitest";
import type { WithService } from "./harness.ts";

/** Gathers what comes until `stop`, which resolves when nothing more comes. */
function gather<T>(open: (signal: AbortSignal) => AsyncIterable<T>) {
  const abort = new AbortController();
  const seen: T[] = [];
  const ended = (async () => {
    for await (const item of open(abort.signal)) seen.push(item);
  })();
  ended.catch(() => undefined);
  const stop = () => {
    abort.abort();
    return ended;
  };
  return { seen, stop };
}

const spoken = (at: string, text: string): Activity => ({
  at,
  action: "DEVELOP",
  event: { type: "message.delta", text },
});

const AT = "2026-01-22T10:00:00.000Z";

const note = (service: LoopService, notes: string) =>
  service.send("a", { type: "edit", changes: { notes } });

/** What the facts among it say, by the notes that were made. */
const notesIn = (seen: readonly LiveEvent[]) =>
  seen.flatMap((live) =>
    live.kind === "recorded" && live.recorded.event.type === "loop.edited"
      ? [live.recorded.event.changes.notes]
      : [],
  );

const textsIn = (seen: readonly LiveEvent[]) =>
  seen.flatMap((live) =>
    live.kind === "activity" && live.activity.event.type === "message.delta"
      ? [live.activity.event.text]
      : [],
  );

export function describeStreams(withService: WithService): void {
  describe("events", () => {
    it("are all that was recorded, in order, or what is behind a revision", () =>
      withService(async ({ service, store }) => {
        for (const n of ["1", "2", "3"]) await note(service, n);
        const all = await Array.fromAsync(service.events("a"));
        expect(all).toEqual(await Array.fromAsync(store.events("a")));
        expect(all.map(({ revision }) => revision)).toEqual([1, 2, 3, 4]);
        expect(await Array.fromAsync(service.events("a", 2))).toEqual(all.slice(2));
        expect(await Array.fromAsync(service.events("a", 9))).toEqual([]);
      }));
  });

  describe("activity", () => {
    it("is what was logged, whatever text is in it", () =>
      withService(async ({ service, store }) => {
        expect(await Array.fromAsync(service.activity("a"))).toEqual([]);
        const records = ["one", "line\u2028two\r\n", "data: x\n\nid: 7\n", "\u001b[31mred", "é😀"];
        const logged = records.map((text) => spoken(AT, text));
        await store.appendLog("a", logged);
        await vi.waitFor(async () => {
          expect(await Array.fromAsync(service.activity("a"))).toMatchObject(logged);
        });
      }));

    it("goes on behind any of its records", () =>
      withService(async ({ service, store }) => {
        const logged = ["one", "two", "three"].map((text) => spoken(AT, text));
        await store.appendLog("a", logged);
        const all = await vi.waitFor(async () => {
          const found = await Array.fromAsync(service.activity("a"));
          expect(found).toHaveLength(3);
          return found;
        });
        for (const [n, { seq }] of all.entries()) {
          expect(await Array.fromAsync(service.activity("a", { after: seq }))).toEqual(
            all.slice(n + 1),
          );
        }
        const { seen, stop } = gather((signal) =>
          service.watch("a", { after: 1, seq: all[0]?.seq, signal }),
        );
        await vi.waitFor(() => expect(textsIn(seen)).toEqual(["two", "three"]));
        await stop();
      }));

    it("goes on as more arrives until its signal aborts", () =>
      withService(async ({ service, store }) => {
        const log = (text: string) =>
          store.appendLog("a", [spoken(new Date().toISOString(), text)]);
        await log("before");
        const { seen, stop } = gather((follow) => service.activity("a", { follow }));
        await vi.waitFor(() => expect(seen).toHaveLength(1));
        await log("after");
        await vi.waitFor(() => expect(seen).toHaveLength(2));
        await stop();
      }));
  });

  describe("watch", () => {
    it("tells every fact behind a revision once and in order, while more happen", () =>
      withService(async ({ service }) => {
        await note(service, "0");
        const { seen, stop } = gather((signal) => service.watch("a", { after: 1, signal }));
        const expected = Array.from({ length: 30 }, (_, n) => `${n}`);
        for (const n of expected.slice(1)) await note(service, n);
        await vi.waitFor(() => expect(notesIn(seen)).toHaveLength(30), 10_000);
        expect(notesIn(seen)).toEqual(expected);
        const facts = await Array.fromAsync(service.events("a", 1));
        expect(seen).toEqual(facts.map((recorded) => ({ kind: "recorded", id: "a", recorded })));
        await stop();
      }));

    it("begins now unless a revision is named", () =>
      withService(async ({ service }) => {
        await note(service, "before");
        const { seen, stop } = gather((signal) => service.watch("a", { signal }));
        await vi.waitFor(async () => {
          await note(service, "after");
          expect(seen.length).toBeGreaterThan(0);
        });
        await stop();
        expect(new Set(notesIn(seen))).toEqual(new Set(["after"]));
      }));

    it("tells each of several facts of one commit", () =>
      withService(async ({ service }) => {
        await service.send("a", { type: "start" });
        await service.send("a", { type: "pause" });
        const { seen, stop } = gather((signal) => service.watch("a", { after: 3, signal }));
        await service.send("a", { type: "resume", changes: { notes: "both" } });
        await vi.waitFor(() => expect(seen).toHaveLength(2));
        await stop();
        expect(notesIn(seen)).toEqual(["both"]);
        expect(seen[1]).toMatchObject({
          recorded: { revision: 4, event: { type: "loop.resumed" } },
        });
      }));

    it("tells activity from a time on, each once, in its order", () =>
      withService(async ({ service, store }) => {
        const at = (second: number) => `2026-01-22T10:00:0${second}.000Z`;
        const log = (second: number, ...texts: string[]) =>
          store.appendLog(
            "a",
            texts.map((text) => spoken(at(second), text)),
          );
        await log(1, "early");
        await log(3, "three", "three again", "line\none\u2028two");
        const { seen, stop } = gather((signal) =>
          service.watch("a", { after: 1, since: at(2), signal }),
        );
        await vi.waitFor(() => expect(textsIn(seen)).toHaveLength(3));
        await log(4, "four");
        await vi.waitFor(() => expect(textsIn(seen)).toHaveLength(4));
        expect(textsIn(seen)).toEqual(["three", "three again", "line\none\u2028two", "four"]);
        await stop();
      }));

    it("ends at once when its signal was aborted before", () =>
      withService(async ({ service }) => {
        const signal = AbortSignal.abort();
        expect(await Array.fromAsync(service.watch("a", { after: 1, signal }))).toEqual([]);
      }));

    it("can be left in the middle", () =>
      withService(async ({ service }) => {
        const { signal } = new AbortController();
        for await (const live of service.watch("a", { after: 0, signal })) {
          expect(live).toMatchObject({ kind: "recorded", recorded: { revision: 1 } });
          break;
        }
      }));
  });

  describe("changes", () => {
    it("name loops that are made, changed or deleted, until the signal aborts", () =>
      withService(async ({ service, make }) => {
        const { seen, stop } = gather((signal) => service.changes(signal));
        const told = async (id: string, act: () => Promise<unknown>) => {
          await vi.waitFor(async () => {
            seen.length = 0;
            await act();
            await vi.waitFor(() => expect(seen).toContain(id), { timeout: 2000 });
          }, 10_000);
        };
        const fresh = { n: 0 };
        await told("a", () => note(service, `${fresh.n++}`));
        await make({ id: "b" });
        await vi.waitFor(() => expect(seen).toContain("b"));
        seen.length = 0;
        await service.delete("b");
        await vi.waitFor(() => expect(seen).toContain("b"));
        await stop();
      }));
  });

  describe("summaryChanges", () => {
    it("tell each loop in short as it is after a change, and that it was deleted", () =>
      withService(async ({ service, make }) => {
        const { seen, stop } = gather((signal) => service.summaryChanges(signal));
        const last = (id: string) => seen.findLast((change) => change.id === id)?.summary;
        const fresh = { n: 0 };
        await vi.waitFor(async () => {
          await note(service, `${fresh.n++}`);
          await vi.waitFor(() => expect(last("a")).toBeDefined(), { timeout: 2000 });
        }, 10_000);
        await make({ id: "b", title: "Second" });
        await vi.waitFor(() => expect(last("b")).toMatchObject({ title: "Second", revision: 1 }));
        const { loops } = await service.summaries();
        await vi.waitFor(() =>
          expect(["a", "b"].map(last)).toEqual(
            ["a", "b"].map((id) => loops.find((one) => one.id === id)),
          ),
        );
        await service.delete("b");
        await vi.waitFor(() => expect(last("b")).toBeNull());
        await stop();
      }));
  });
}
