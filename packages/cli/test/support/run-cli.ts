import { main } from "../../src/index.ts";
import type { Ran } from "./bin.ts";
import { type FakeIo, fakeIo } from "./fake-io.ts";

/** One whole run in this process, without a terminal. */
export async function cli(
  cwd: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Ran> {
  return finish(fakeIo({ cwd, env }), args);
}

export async function finish(io: FakeIo, args: readonly string[]): Promise<Ran> {
  const code = await main(args, io);
  return { code, out: io.out(), err: io.err() };
}
