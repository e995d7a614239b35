import { startServe } from "../../../web/test/support/serve.ts";

/** `ccw-loop serve` as a process of its own, which can be killed and started again at the same address. */
export interface Server extends AsyncDisposable {
  url: string;
  /** Resolves when it listens. */
  start(): Promise<void>;
  /** `kill -9`; resolves when the process is gone. */
  kill(): Promise<void>;
}

export async function server({ cwd, env }: Where): Promise<Server> {
  const { HOME = cwd } = env;
  let serving = await startServe(cwd, HOME);
  const { url } = serving;
  const kill = () => serving.end();
  const start = async () => {
    serving = await startServe(cwd, HOME, "--port", new URL(url).port);
  };
  return { url, start, kill, [Symbol.asyncDispose]: kill };
}

interface Where {
  cwd: string;
  env: Record<string, string>;
}
