import { expect, test } from "vitest";
import type { UsageMeaning } from "../../src/launch/profiles.ts";
import { Meter } from "../../src/turn/usage.ts";

const counts = (inputTokens: number, outputTokens: number) => ({
  ...{ inputTokens, outputTokens, totalTokens: inputTokens + outputTokens },
});
const quota = (input_tokens: number, output_tokens: number) => ({
  _meta: { quota: { token_count: { input_tokens, output_tokens } } },
});
const used = (input: number, output: number) => ({
  ...{ input_tokens: input, output_tokens: output, total_tokens: input + output },
  cached_input_tokens: 0,
});

test.each<[UsageMeaning, object[], object[]]>([
  ["turn", [{ usage: counts(10, 1) }, quota(20, 2)], [used(10, 1), used(20, 2)]],
  ["session", [{ usage: counts(10, 1) }, { usage: counts(30, 4) }], [used(10, 1), used(20, 3)]],
])("answers whose counts are of the %s", (meaning, results, turns) => {
  const meter = new Meter(meaning);
  const measured = results.map((result) => {
    meter.turnBegins();
    return meter.turnEnded(result);
  });
  expect(measured).toEqual(turns);
});

test.each<UsageMeaning>(["last", "none"])(
  "nothing is known of a turn where it tells %s",
  (meaning) => {
    const meter = new Meter(meaning);
    meter.turnBegins();
    expect(meter.turnEnded({ usage: counts(10, 1) })).toBeNull();
  },
);

test("counts beside chunks are added up, also of a turn that is cut off", () => {
  const meter = new Meter("chunks");
  for (const _ of [1, 2]) {
    meter.turnBegins();
    expect(meter.update({ _meta: { usage: counts(10, 1) } })).toEqual(used(10, 1));
    meter.update({ _meta: { usage: counts(20, 2) } });
    expect(meter.turnEnded(undefined)).toEqual(used(30, 3));
  }
});

test.each(["resumed", "forked"] as const)(
  "the first turn of a session that is %s has no usage: what was used before is not known",
  (how) => {
    const meter = new Meter("session");
    meter.opened(how);
    meter.turnBegins();
    expect(meter.turnEnded({ usage: counts(900, 90) })).toBeNull();
    meter.turnBegins();
    expect(meter.turnEnded({ usage: counts(910, 91) })).toEqual(used(10, 1));
  },
);

test("a session that begins anew has used nothing", () => {
  const meter = new Meter("session");
  meter.turnBegins();
  meter.turnEnded({ usage: counts(900, 90) });
  meter.opened("started");
  meter.turnBegins();
  expect(meter.turnEnded({ usage: counts(10, 1) })).toEqual(used(10, 1));
});

test("money of the session becomes money of the turn", () => {
  const meter = new Meter("turn");
  const cost = (amount: number) =>
    meter.update({ sessionUpdate: "usage_update", cost: { amount, currency: "USD" } });
  meter.turnBegins();
  cost(0.5);
  expect(meter.turnEnded({ usage: counts(1, 1) })).toMatchObject({ cost_usd: 0.5 });
  meter.turnBegins();
  cost(0.75);
  expect(meter.turnEnded({ usage: counts(1, 1) })).toMatchObject({ cost_usd: 0.25 });
});

test("what was read from a cache counts as input, as it does in the total", () => {
  const meter = new Meter("turn");
  const usage = { inputTokens: 10, cachedReadTokens: 90, outputTokens: 5, totalTokens: 105 };
  expect(meter.turnEnded({ usage })).toEqual({
    ...{ input_tokens: 100, cached_input_tokens: 90, output_tokens: 5, total_tokens: 105 },
  });
});

test.each([[undefined], [{}], [{ usage: null }], [{ usage: { inputTokens: "9" } }]])(
  "no counts in %j",
  (result) => {
    expect(new Meter("turn").turnEnded(result)).toBeNull();
  },
);
