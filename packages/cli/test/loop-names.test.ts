import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { plan, project, stateOf } from "./support/project.ts";
import { cli } from "./support/run-cli.ts";
import { served, TOKEN } from "./support/served.ts";

/** A project with loops of these ids; null is one with a minted id. */
async function withLoops(...ids: (string | null)[]) {
  const here = await project(plan);
  const made: string[] = [];
  for (const id of ids) {
    const name = id === null ? [] : ["--loop-id", id];
    const { out, err } = await here.cli("start", "--json", ...here.flags, ...name, "Do it");
    made.push(JSON.parse(out || err).data.loop_id);
  }
  return Object.assign(here, { made });
}

test("every command takes a beginning, a short id and @last, and says on stderr which loop that is", async () => {
  await using here = await withLoops("shop", null, "tray-2");
  const minted = here.made[1] ?? "";
  const shown = async (name: string) => {
    const { code, out, err } = await here.cli("show", name);
    expect(code, err).toBe(0);
    return [/Loop +(\S+)/.exec(out)?.[1], err];
  };
  expect(await shown("sh")).toEqual(["shop", "Loop shop\n"]);
  expect(await shown(minted.slice(-8, -4))).toEqual([minted, `Loop ${minted}\n`]);
  expect(await shown("@last")).toEqual(["tray-2", "Loop tray-2\n"]);
  expect(await shown("shop")).toEqual(["shop", ""]);

  expect((await here.cli("pause", "sh")).out).toContain("Loop shop is paused");
  const added = await here.cli("tasks", "add", "t", "one more", "--json");
  expect(JSON.parse(added.out).data.loop_id).toBe("tray-2");
  expect(added.err).toBe("");
  const dry = await here.cli("run", "--loop-id", "sh", "--dry-run", "--json");
  expect(JSON.parse(dry.out).data.loop_id).toBe("shop");
  const check = await here.cli("verify", "sho", "--json");
  expect(JSON.parse(check.out).error.message).toContain("shop");
});

describe("never a wrong loop:", () => {
  test("what may mean several is refused with all of them", async () => {
    await using here = await withLoops("cart-1", "cart-2", "shop");
    const { code, err } = await here.cli("stop", "cart");
    expect(code).toBe(2);
    expect(err).toContain('"cart" may mean 2 loops: cart-1, cart-2. Give more of the id.');
    const ran = await here.cli("pause", "cart", "--json");
    expect(JSON.parse(ran.out).error.details).toEqual({ loops: ["cart-1", "cart-2"] });
    expect((await stateOf(here, "cart-1")).status).toBe("running");
  });

  test("the very id wins, also of a loop that cannot be read", async () => {
    await using here = await withLoops("cart", "cart-b");
    expect((await here.cli("show", "cart")).out).toMatch(/Loop +cart\n/);
    const loops = join(here.dir, ".workflow/.loop");
    await rename(join(loops, "cart.json"), join(here.dir, "gone.json"));
    await writeFile(join(loops, "cart.history", "junk"), randomBytes(9));
    expect((await here.cli("show", "cart")).out).not.toMatch(/Loop +cart-b\n/);
  });

  test("a number that only begins alike is none", async () => {
    await using here = await withLoops("fix-10");
    expect(await here.cli("stop", "fix-1")).toMatchObject({
      code: 7,
      err: expect.stringContaining("fix-1"),
    });
    expect((await stateOf(here, "fix-10")).status).toBe("running");
  });

  test("--yes, which asks nobody, takes the whole id", async () => {
    await using here = await withLoops("shop");
    const { code, err } = await here.cli("delete", "sh", "--yes");
    expect(code).toBe(2);
    expect(err).toContain(
      'With --yes a loop is named by its whole id, for nobody is asked. "sh" means shop.',
    );
    expect(existsSync(join(here.dir, ".workflow/.loop/shop.json"))).toBe(true);
    await here.cli("stop", "shop");
    expect((await here.cli("delete", "shop", "--yes")).code).toBe(0);
  });

  test("@last is the one that was made last, not the one that changed last", async () => {
    await using here = await withLoops("b", "a");
    await here.cli("pause", "b");
    expect((await here.cli("why", "@last")).err).toBe("Loop a\n");
    await writeFile(join(here.dir, ".workflow/.loop/broken.json"), "{");
    expect((await here.cli("why", "@last")).err).toMatch(
      /^ccw-loop: @last means no loop while one cannot be read, broken/,
    );
  });

  test("where there is none, @last is not found", async () => {
    await using here = await project(plan);
    expect((await here.cli("show", "@last")).code).toBe(7);
  });

  test("the id of a new loop is no short form", async () => {
    await using here = await withLoops("shop");
    const ran = await here.cli("start", "--json", ...here.flags, "--loop-id", "sh", "Do it");
    expect(JSON.parse(ran.out).data.loop_id).toBe("sh");
  });
});

test("a control plane is asked for the loops that a text may mean", async () => {
  await using here = await withLoops("shop", "cart-1", "cart-2");
  const server = await served(here, { drives: false });
  onTestFinished(() => server.close());
  const remote = (...args: string[]) =>
    cli(here.dir, [...args, "--url", server.url], { CCW_LOOP_TOKEN: TOKEN });
  expect((await remote("show", "sh")).out).toMatch(/Loop +shop\n/);
  expect((await remote("show", "@last")).out).toMatch(/Loop +cart-2\n/);
  expect((await remote("pause", "cart")).err).toContain("may mean 2 loops: cart-1, cart-2");
});
