import { symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { TreeHolder } from "@ccw-loop/core";
import { expect, test, vi } from "vitest";
import type { Place, WithPlace } from "./harness.ts";

const LONG_MS = 60_000;
const SHORT_MS = 20;
/** Over soon, and long enough for a look behind a renewal on a busy machine. */
const SECOND_MS = 1000;
const fenced = { code: "fenced" };

const holderOf = (loop: string, { cwd }: Place): TreeHolder => ({
  loop,
  project: cwd,
  owner: `driver of ${loop}`,
});

/** One driver for the files of a folder. */
export function describeClaims(withPlace: WithPlace): void {
  test("gives the files to one loop at a time, and names it to others", () =>
    withPlace(async (place) => {
      const { workspace } = place;
      expect(await workspace.holder()).toBeNull();
      const [one, two] = [holderOf("one", place), holderOf("two", place)];
      const claim = await workspace.claim(one, LONG_MS);
      expect(claim.takenFrom).toEqual([]);
      await claim.renew();
      const other = await place.reopened();
      expect(await other.holder()).toEqual(one);
      await expect(other.claim(two, LONG_MS)).rejects.toMatchObject({
        code: "workspace_busy",
        message: expect.stringContaining("Loop one"),
        details: { holder: one },
      });
      await claim.renew();
      await claim.release();
      await claim.release();
      expect(await other.holder()).toBeNull();
      const next = await other.claim(two, LONG_MS);
      expect(next.takenFrom).toEqual([]);
      await claim.release();
      expect(await workspace.holder()).toEqual(two);
    }));

  test("gives them to one of many who claim at the same moment", () =>
    withPlace(async (place) => {
      const claims = ["a", "b", "c", "d", "e", "f"].map(async (loop) => {
        return (await place.reopened()).claim(holderOf(loop, place), LONG_MS);
      });
      const settled = await Promise.allSettled(claims);
      const won = settled.filter(({ status }) => status === "fulfilled");
      expect(won).toHaveLength(1);
      for (const one of settled) {
        if (one.status === "rejected") expect(one.reason).toMatchObject({ code: "workspace_busy" });
      }
    }));

  test("gives a loop its own files again, and ends the earlier claim", () =>
    withPlace(async (place) => {
      const one = holderOf("one", place);
      const before = await place.workspace.claim(one, LONG_MS);
      const owner = "the next driver of one";
      const now = await (await place.reopened()).claim({ ...one, owner }, LONG_MS);
      expect(now.takenFrom).toEqual([]);
      await expect(before.renew()).rejects.toMatchObject(fenced);
      await before.release();
      await now.renew();
      expect(await place.workspace.holder()).toEqual({ ...one, owner });
      const elsewhere = { ...one, project: join(place.cwd, "sub") };
      await expect(place.workspace.claim(elsewhere, LONG_MS)).rejects.toMatchObject({
        code: "workspace_busy",
      });
    }));

  test("ends a claim that is not renewed in time, and says from whom it was taken", () =>
    withPlace(async (place) => {
      const { workspace } = place;
      const [one, two] = [holderOf("one", place), holderOf("two", place)];
      const late = await workspace.claim(one, SHORT_MS);
      const claim = await vi.waitFor(() => workspace.claim(two, LONG_MS), {
        timeout: 10_000,
        interval: 5,
      });
      expect(claim.takenFrom).toEqual([one]);
      await expect(late.renew()).rejects.toMatchObject(fenced);
      await late.release();
      await claim.renew();
      expect(await workspace.holder()).toEqual(two);
    }));

  test("says again from whom a claim was taken, as long as it was never renewed", () =>
    withPlace(async (place) => {
      const { workspace } = place;
      const [one, two, three] = [
        holderOf("one", place),
        holderOf("two", place),
        holderOf("three", place),
      ];
      const take = (holder: TreeHolder, ttlMs: number) =>
        vi.waitFor(() => workspace.claim(holder, ttlMs), { timeout: 10_000, interval: 5 });
      await workspace.claim(one, SHORT_MS);
      expect((await take(two, SHORT_MS)).takenFrom).toEqual([one]);
      expect((await take(two, SHORT_MS)).takenFrom).toEqual([one]);
      const third = await take(three, SHORT_MS);
      expect(third.takenFrom).toEqual([one, two]);
      await third.renew();
      expect((await take(one, LONG_MS)).takenFrom).toEqual([three]);
    }));

  test("gives a claim back to whom it was taken from, who keeps it or loses it to the next one", () =>
    withPlace(async (place) => {
      const { workspace } = place;
      const [one, two] = [holderOf("one", place), holderOf("two", place)];
      const take = () =>
        vi.waitFor(() => workspace.claim(two, LONG_MS), { timeout: 10_000, interval: 5 });
      const late = await workspace.claim(one, SECOND_MS);
      await (await take()).giveBack();
      expect(await workspace.holder()).toBeNull();
      const again = await workspace.claim(two, LONG_MS);
      expect(again.takenFrom).toEqual([one]);
      await again.giveBack();
      await late.renew();
      expect(await workspace.holder()).toEqual(one);
      await late.release();
      expect((await workspace.claim(two, LONG_MS)).takenFrom).toEqual([]);
    }));

  test("knows the files by every path to them", () =>
    withPlace(async (place) => {
      const link = join(dirname(place.cwd), "another-path");
      await symlink(place.cwd, link);
      const one = holderOf("one", place);
      const claim = await place.workspace.claim(one, LONG_MS);
      const other = await place.openAt(link);
      expect(await other.holder()).toEqual(one);
      await claim.release();
      expect(await other.holder()).toBeNull();
    }));
}
