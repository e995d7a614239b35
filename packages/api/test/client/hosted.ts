import { loopService } from "@ccw-loop/orchestrator";
import { fsStore } from "@ccw-loop/store-fs";
import type { LoopServiceHarness, ServicePorts } from "@ccw-loop/testkit/contracts";
import { gitWorkspace } from "@ccw-loop/workspace-git";
import { type AppOptions, createApp } from "../../src/index.ts";

/** A control plane over local ports, with somebody who drives its loops where that is wanted. */
export function hosted(ports: ServicePorts, drives: boolean, options: Partial<AppOptions> = {}) {
  const service = loopService(ports);
  const stop = new AbortController();
  const app = createApp(service, {
    access: { token: TOKEN },
    drives: () => drives,
    signal: stop.signal,
    rate: false,
    ...options,
  });
  const supervised = drives ? service.supervise({ signal: stop.signal }) : Promise.resolve();
  const close = async () => {
    stop.abort();
    await supervised;
  };
  return { app, service, close };
}

export const TOKEN = "t0ken-of-the-tests";

/** What all doors to a control plane have in common. */
export const REMOTE: Omit<LoopServiceHarness, "open"> = {
  workspace: async (cwd) => gitWorkspace(cwd),
  store: (root) => fsStore({ root, durability: "process" }),
  joins: true,
};
