import { main } from "../../src/index.ts";
import { type FakeIo, fakeIo } from "./fake-io.ts";

export interface Ran {
  code: number;
  out: string;
  err: string;
}

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
