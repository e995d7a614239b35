import { PassThrough } from "node:stream";
import { describe, expect, it, test } from "vitest";
import { Peer, type PeerOptions, type RpcRequest } from "../../src/json-rpc/peer.ts";

function connected(one: Partial<PeerOptions> = {}, other: Partial<PeerOptions> = {}) {
  const [there, back] = [new PassThrough(), new PassThrough()];
  const notified: RpcRequest[] = [];
  const noise: string[] = [];
  const common = {
    onNotification: (notification: RpcRequest) => notified.push(notification),
    answer: async ({ params }: RpcRequest) => ({ result: params }),
    onNoise: (what: string) => noise.push(what),
  };
  return {
    ...{ notified, noise, there, back },
    a: new Peer({ ...common, name: "B", input: back, output: there, ...one }),
    b: new Peer({ ...common, name: "A", input: there, output: back, ...other }),
  };
}

describe("a peer", () => {
  it("asks and is asked at the same time; the numbers of both sides are their own", async () => {
    const { a, b } = connected();
    const asked = [a.request("one", { n: 1 }, 5000), b.request("two", [2], 5000)];
    expect(await Promise.all(asked)).toEqual([{ result: { n: 1 } }, { result: [2] }]);
  });

  it("passes notifications on, and begins its messages with its header", async () => {
    const { a, notified, there } = connected({ header: { jsonrpc: "2.0" } });
    const line = new Promise((resolve) => there.once("data", (data) => resolve(String(data))));
    a.notify("hello", { to: "you" });
    expect(await line).toBe('{"jsonrpc":"2.0","method":"hello","params":{"to":"you"}}\n');
    expect(notified).toEqual([{ method: "hello", params: { to: "you" } }]);
  });

  it("is refused in the words of the other side; an answer that throws is a refusal", async () => {
    const refusal = { error: { code: -32_601, message: "No.", data: { x: 1 } } };
    const refusing = connected({}, { answer: async () => refusal });
    expect(await refusing.a.request("x", null, 5000)).toEqual(refusal);
    const failing = connected({}, { answer: () => Promise.reject(new Error("It broke.")) });
    expect(await failing.a.request("x", null, 5000)).toMatchObject({
      error: { code: -32_603, message: "It broke." },
    });
  });

  test.each([
    [{ error: "plain words" }, { code: 0, message: "plain words" }],
    [{ error: { code: "E1", message: 7 } }, { code: 0, message: "7" }],
  ])("takes an error in the shape of %j for a refusal", async (said, error) => {
    const { a, back } = connected({}, { input: new PassThrough() });
    const reply = a.request("x", null, 5000);
    back.write(`${JSON.stringify({ id: 1, ...said })}\n`);
    expect(await reply).toMatchObject({ error });
  });

  it("loses a request that is not answered in time, and knows nothing of its late answer", async () => {
    const { a, back, noise } = connected({}, { input: new PassThrough() });
    expect(await a.request("x", null, 20)).toEqual({ lost: "B did not answer x within 0.02 s" });
    const next = a.request("y", null, 5000);
    back.write('{"id":1,"result":"late"}\n{"id":2,"result":"in time"}\n');
    expect(await next).toEqual({ result: "in time" });
    expect(noise).toEqual([]);
  });

  it("answers every request with the reason when the other side ends, also those to come", async () => {
    const { a } = connected({}, { answer: () => new Promise(() => undefined) });
    const open = a.request("x", null, Number.POSITIVE_INFINITY);
    a.end("B ended with exit code 3");
    expect(await open).toEqual({ lost: "B ended with exit code 3" });
    expect(await a.request("y", null, 5000)).toEqual({ lost: "B ended with exit code 3" });
  });

  it("skips lines that are no message, and goes on", async () => {
    const { a, back, noise } = connected();
    back.write('Loading…\n\n[1,2]\n{"neither":"id nor method"}\n"text"\n');
    expect(await a.request("x", "still here", 5000)).toEqual({ result: "still here" });
    expect(noise).toEqual(["Loading…", "[1,2]", '{"neither":"id nor method"}', '"text"']);
  });
});
