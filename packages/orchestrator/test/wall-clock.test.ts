import { expect, test } from "vitest";
import { systemClock } from "../src/index.ts";
import { bench, driven, journal, plan, verifierThat, write } from "./support.ts";

const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

test.each([-YEAR_MS, YEAR_MS])(
  "a wall clock that jumps by %i ms changes no bound and no duration of a loop",
  async (jump) => {
    let ahead = 0;
    const clock = { ...systemClock, now: () => new Date(Date.now() + ahead) };
    const tests = verifierThat("pass");
    const jumping: typeof tests = {
      ...tests,
      verify(...given) {
        ahead = jump;
        return tests.verify(...given);
      },
    };
    const b = bench([plan("one"), write("a.js", "1")], jumping, { clock });
    const { id, state } = await driven(b, { limits: { max_duration_ms: 60_000 } });
    expect(state).toMatchObject({ status: "completed" });
    const times = (await journal(b.store, id)).map(({ event }) => Date.parse(event.at));
    const jumps = times.slice(1).map((at, n) => Math.abs(at - (times[n] ?? at)));
    expect(jumps.filter((gap) => gap > YEAR_MS / 2)).toHaveLength(1);
    expect(state.usage?.active_ms).toBeGreaterThanOrEqual(0);
    expect(state.usage?.active_ms).toBeLessThan(60_000);
  },
);
