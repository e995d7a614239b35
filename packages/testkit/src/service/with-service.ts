import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Workspace } from "@ccw-loop/core";
import { ONE_TASK } from "../agent/one-task.ts";
import { scriptedAgent } from "../agent/scripted-agent.ts";
import { tempRepo } from "../codex-home/temp-repo.ts";
import { memoryStore } from "../store/memory-store.ts";
import { passingVerifier } from "../verifier/passing-verifier.ts";
import { folderWorkspace } from "../workspace/folder-workspace.ts";
import type { LoopServiceHarness, WithService } from "./harness.ts";

/** Gives each test a service of its own, over ports of its own. */
export function serviceOf(harness: LoopServiceHarness): WithService {
  return async (use, { turns = ONE_TASK, git = false, drives = false } = {}) => {
    const cwd = git ? (await tempRepo({ "a.js": "1" })).path : await folder();
    const store = harness.store?.(cwd) ?? memoryStore();
    const agent = scriptedAgent({ script: { turns }, pace: 0, home: join(cwd, ".workflow/agent") });
    const plain = folderWorkspace(cwd);
    const workspace = async (of: string): Promise<Workspace> =>
      git ? harness.workspace(of) : plain;
    const ports = { store, agent: async () => agent, verifier: passingVerifier(), workspace, cwd };
    const { service, close } = await harness.open(ports, { drives });
    const settings = { mode: "auto", flaky_reruns: 0, expect: "unchanged" } as const;
    const make = (spec = {}) => service.create({ description: "Add a flag", settings, ...spec });
    try {
      await use({ service, store, cwd, harness, make });
    } finally {
      await close();
      await store.close();
      for (const place of [cwd, `${cwd}.worktrees`]) {
        await rm(place, { recursive: true, force: true, maxRetries: 10 });
      }
    }
  };
}

async function folder(): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), "ccw-loop-service-")));
}
