/** @module-tag slow */
import { expect, test, vi } from "vitest";
import { documentIn } from "../support/documents.ts";
import { atCommand, ccwLoop, PATIENCE } from "../support/processes.ts";
import { hang, plan, project, stateOf, write } from "../support/project.ts";

vi.setConfig({ testTimeout: 120_000 });

test("after kill -9 of the driver every view says that nobody drives the loop, since when, and what to type", async () => {
  await using here = await project(plan, hang, write("42"));
  const { code, err } = await here.cli("start", "x", "--auto", ...here.flags, "--loop-id", "a");
  expect(code, err).toBe(0);
  const first = ccwLoop(here.dir, "run", "--loop-id", "a", "--events");
  await atCommand(first, ["a"]);
  const screen = here.io({ tty: true, columns: 160, rows: 30 });
  const watching = here.run(screen, "watch", "a");
  const lines = here.io();
  const following = here.run(lines, "watch", "a", "--events");
  await vi.waitFor(() => expect(screen.err()).toContain("DEVELOP"), PATIENCE);
  expect((await here.cli("list")).out).toMatch(/^a +running +DEVELOP/m);
  const killed = Date.now();
  first.child.kill("SIGKILL");
  await first.ended;

  const since =
    /Nobody has driven loop a since (\S+Z) \(\S+ ago\)\. Drive it with: ccw-loop resume a/;
  const list = await here.cli("list");
  expect(list.out).toMatch(/^a +running, not driven +DEVELOP/m);
  const [, time = ""] = since.exec(list.out) ?? [];
  // A lease is renewed every five seconds.
  expect(Math.abs(killed - Date.parse(time))).toBeLessThan(7000);
  const [row] = documentIn("list", (await here.cli("list", "--json")).out).loops;
  expect(row?.undriven_since?.slice(0, 19)).toBe(time.slice(0, 19));
  const show = await here.cli("show", "a");
  expect(show.out).toMatch(/^ +Driven by +nobody since .*ago\)$/m);
  expect(show.out).toMatch(/^ +Next +ccw-loop resume a\n +ccw-loop supervise$/m);
  expect((await here.cli("why", "a")).out).toMatch(/^ +Driven by +nobody since .*ago\)$/m);
  expect((await here.cli("doctor")).out).toMatch(
    /^note +loops +a is running, but driven by nobody since .*ago\)\.\n +Drive it with: ccw-loop resume a$/m,
  );

  await vi.waitFor(() => expect(screen.err()).toMatch(since), PATIENCE);
  const driver = () => lines.out().match(/^\{"kind":"driver".*$/gm) ?? [];
  await vi.waitFor(() => expect(driver()).toHaveLength(1), PATIENCE);
  expect(JSON.parse(driver()[0] ?? "")).toMatchObject({ id: "a", driven_by: null });
  const left = await here.cli("watch", "a", "--no-wait");
  expect(left.code).toBe(4);
  expect(left.err).toMatch(since);
  expect(left.out).toMatch(/^ +Next +ccw-loop resume a$/m);

  const again = await here.cli("resume", "a");
  expect(again.code, again.err).toBe(0);
  expect((await watching).code).toBe(0);
  expect((await following).code).toBe(0);
  expect((await here.cli("list")).out).toMatch(/^a +completed/m);
});

test("watch --no-wait leaves a loop that waits for a person", async () => {
  await using here = await project(plan, write("42"));
  const { flags } = here;
  await here.cli("start", "x", "--interactive", ...flags, "--loop-id", "a");
  const driving = ccwLoop(here.dir, "supervise", "--events");
  const asks = async () => expect((await stateOf(here, "a")).waiting?.kind).toBe("input");
  await vi.waitFor(asks, PATIENCE);
  const { code, out, err } = await here.cli("watch", "a", "--no-wait");
  expect(code, err).toBe(4);
  expect(out).toContain("ccw-loop answer a");
  driving.child.kill("SIGTERM");
  expect(await driving.ended).toBe(0);
});
