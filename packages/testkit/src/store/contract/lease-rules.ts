import { describe, expect, vi } from "vitest";
import {
  BY,
  codeOf,
  expectOneWinner,
  loopTest,
  noted,
  type OpenStore,
  started,
} from "./fixtures.ts";

const LONG = 60_000;
/** The clock of a disk may be a little behind. */
const CLOCKS_MS = 2000;

export function leaseRules(open: OpenStore): void {
  const test = loopTest(open);

  describe("leases", () => {
    test("one owner drives a loop at a time", async (store) => {
      expect(await store.ownerOf("a")).toBeNull();
      const lease = await store.claim("a", "one", LONG);
      expect(lease).toEqual({ id: "a", owner: "one", epoch: expect.any(Number), ttlMs: LONG });
      expect(await store.ownerOf("a")).toBe("one");
      expect(await codeOf(store.claim("a", "two", LONG))).toBe("loop_busy");
      expect(await codeOf(store.claim("a", "one", LONG))).toBe("loop_busy");
      await store.renew(lease);
      expect(await store.ownerOf("a")).toBe("one");
    });

    test("no lease is given for longer than a minute", async (store) => {
      for (const ttl of [1e308, Number.POSITIVE_INFINITY, Number.NaN, 0, -1, LONG + 1]) {
        expect([ttl, await codeOf(store.claim("a", "one", ttl))]).toEqual([ttl, "invalid_input"]);
      }
      expect(await store.ownerOf("a")).toBeNull();
      expect(await codeOf(store.claim("a", "two", LONG))).toBe("none");
    });

    test("of many that claim at once exactly one gets it", async (store) => {
      const claims = Array.from({ length: 20 }, (_, i) =>
        codeOf(store.claim("a", `owner ${i}`, LONG)),
      );
      expectOneWinner(await Promise.all(claims), "loop_busy");
    });

    test("a lease that was given back is free, and its epoch does not come again", async (store) => {
      const first = await store.claim("a", "one", LONG);
      await store.release(first);
      expect(await store.ownerOf("a")).toBeNull();
      expect(await codeOf(store.renew(first))).toBe("fenced");
      const second = await store.claim("a", "two", LONG);
      expect(second.epoch).toBeGreaterThan(first.epoch);
      await store.release(first);
      expect(await store.ownerOf("a")).toBe("two");
    });

    test("an expired lease may be claimed, and its owner is fenced", async (store) => {
      const old = await store.claim("a", "one", 1);
      const lease = await vi.waitFor(() => store.claim("a", "two", LONG));
      const before = await store.read("a");
      const { epoch } = old;
      expect(await codeOf(store.renew(old))).toBe("fenced");
      expect(await codeOf(store.append("a", 1, [started()], { ...BY, epoch }))).toBe("fenced");
      expect(await store.read("a")).toEqual(before);
      await store.append("a", 1, [started()], { ...BY, epoch: lease.epoch });
      expect((await store.read("a")).state.status).toBe("running");
    });

    test("an expired lease that nobody claimed still counts", async (store) => {
      const lease = await store.claim("a", "one", 1);
      await vi.waitFor(async () => expect(await store.ownerOf("a")).toBeNull());
      await store.append("a", 1, [started()], { ...BY, epoch: lease.epoch });
      await store.renew({ ...lease, ttlMs: LONG });
      expect(await store.ownerOf("a")).toBe("one");
    });

    test("the newest lease is told with its owner and the time of its renewal, until it is given back", async (store) => {
      expect(await store.leaseOf("a")).toBeNull();
      const begun = Date.now() - CLOCKS_MS;
      const lease = await store.claim("a", "one", LONG);
      const first = await store.leaseOf("a");
      expect(first).toEqual({
        owner: "one",
        epoch: lease.epoch,
        living: true,
        left_ms: expect.any(Number),
        renewed_at: expect.any(String),
      });
      expect(first?.left_ms).toBeGreaterThan(LONG / 2);
      expect(first?.left_ms).toBeLessThanOrEqual(LONG);
      expect(Date.parse(first?.renewed_at ?? "")).toBeGreaterThan(begun);
      await vi.waitFor(async () => {
        await store.renew(lease);
        expect((await store.leaseOf("a"))?.renewed_at).not.toBe(first?.renewed_at);
      });
      await store.release(lease);
      expect(await store.leaseOf("a")).toBeNull();
      await store.claim("a", "two", 1);
      await vi.waitFor(async () => {
        expect(await store.leaseOf("a")).toMatchObject({
          ...{ owner: "two", living: false, left_ms: 0 },
        });
      });
      expect(await codeOf(store.leaseOf("../a"))).toBe("invalid_id");
    });

    test("claiming, renewing and releasing make no revision", async (store) => {
      const lease = await store.claim("a", "one", LONG);
      await store.renew(lease);
      await store.append("a", 1, [started()], { ...BY, epoch: lease.epoch });
      await store.release(lease);
      expect((await store.read("a")).revision).toBe(2);
    });

    test("an operator needs no lease", async (store) => {
      const { epoch } = await store.claim("a", "one", LONG);
      await store.append("a", 1, [noted("by an operator")], BY);
      await store.append("a", 2, [started()], { ...BY, epoch });
      expect((await store.read("a")).revision).toBe(3);
    });
  });
}
