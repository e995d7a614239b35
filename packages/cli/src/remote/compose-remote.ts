import { LoopError } from "@ccw-loop/core";
import type { LocalLoops } from "@ccw-loop/orchestrator";
import type { Parts } from "../compose.ts";
import type { Io } from "../io.ts";
import { once } from "../once.ts";
import type { RemotePlace } from "./remote-of.ts";

/** The product as far as a control plane elsewhere gives it: its loops, and nothing of its machine. */
export function composeRemote(place: RemotePlace, io: Pick<Io, "env" | "cwd">): Parts {
  const { url, insecureHttp } = place;
  const notRemote = async (): Promise<never> => {
    throw new LoopError(
      "invalid_input",
      `This needs the machine itself and cannot be asked of ${url}. Leave --url out, or call it there.`,
    );
  };
  const loops = once(async (): Promise<LocalLoops> => {
    const [{ loopClient }, { tokenFor }] = await Promise.all([
      import("@ccw-loop/api/client"),
      import("./token.ts"),
    ]);
    const token = await tokenFor(place, io);
    return {
      ...loopClient({ url, token, insecureHttp }),
      ...{ supervise: notRemote, receipt: notRemote, verifyReceipt: notRemote },
    };
  });
  return {
    loops,
    store: notRemote,
    workspace: notRemote,
    agent: notRemote,
    verifier: {
      detect: notRemote,
      verify: notRemote,
      check: notRemote,
      probe: notRemote,
      missing: notRemote,
      surroundingsChanged: notRemote,
    },
    processes: notRemote,
    close: async () => undefined,
  };
}
