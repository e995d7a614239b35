import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LoopEvent, LoopObserver, LoopStore } from "@ccw-loop/core";
import { loopService, systemClock } from "@ccw-loop/orchestrator";
import { folderWorkspace, ONE_TASK, passingVerifier, scriptedAgent } from "@ccw-loop/testkit";
import { onTestFinished } from "vitest";
import { openWebhook, WebhookSettings, type WebhooksOptions, webhooks } from "../../src/index.ts";

export const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

export function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), "ccw-webhooks-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** One webhook by its settings, named `team`, and signed. */
export const hook = (settings: object, env: Record<string, string> = {}, name = "team") =>
  openWebhook(name, WebhookSettings.parse({ secret: SECRET, ...settings }), env);

export function sender(
  hooks: WebhooksOptions["webhooks"],
  options: Partial<WebhooksOptions> & { store: () => Promise<LoopStore> },
) {
  const said: string[] = [];
  const place = { folder: join(folder(), "messages"), project: "cart", clock: systemClock };
  const all = {
    ...place,
    random: () => 0.5,
    say: (text: string) => void said.push(text),
    ...options,
    webhooks: hooks,
  };
  return { ...webhooks(all), said, folder: all.folder };
}

/** A service whose loops plan one task, do it and prove it. */
export function service(observers: readonly LoopObserver[], store: LoopStore) {
  const cwd = folder();
  return loopService({
    store,
    verifier: passingVerifier(),
    cwd,
    agent: async () => scriptedAgent({ script: { turns: ONE_TASK } }),
    workspace: async (dir) => folderWorkspace(dir),
    observers: async () => observers,
  });
}

/** Drives a loop that is there by these events alone, as an observer is told of them. */
export async function played(
  observer: LoopObserver,
  store: LoopStore,
  id: string,
  ...events: LoopEvent[]
): Promise<void> {
  const { state, revision } = await store.read(id);
  observer.begin(state, revision);
  const stored = await store.append(id, revision, events, { actor: "test" });
  for (const event of events) {
    const recorded = { revision: stored.revision, actor: "test", event };
    observer.event({ kind: "recorded", id, recorded });
  }
}
