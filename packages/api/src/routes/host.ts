import { LoopError, LoopStatus } from "@ccw-loop/core";
import type { AppDeps, Handlers } from "../app/serve-operation.ts";
import type { HOST, ProjectInfo } from "../contract/host.ts";
import { openApiDocument } from "../openapi/document.ts";
import { docsPage } from "../openapi/page.ts";

export function hostHandlers(deps: AppDeps): Handlers<typeof HOST> {
  const { service, options } = deps;
  return {
    health: () => ({ data: { status: "ok", version: options.version ?? null } }),
    async ready() {
      if (options.signal?.aborted) {
        throw new LoopError("store_unavailable", "The server is shutting down.");
      }
      await service.list({ limit: 1 }).catch((cause: unknown) => {
        throw new LoopError("store_unavailable", "The loops cannot be listed.", { cause });
      });
      return { data: { drives: options.drives?.() ?? null } };
    },
    async metrics() {
      const statuses = LoopStatus.options.map(async (status) => {
        const { total } = await service.list({ status, limit: 1 });
        return [`status="${status}"`, total] as const;
      });
      const { listeners, loops } = deps.live.figures();
      const text = deps.metrics.text([
        { name: "ccw_loop_loops", help: "Loops by status.", values: await Promise.all(statuses) },
        { name: "ccw_loop_live_clients", help: "Open event streams.", values: [["", listeners]] },
        { name: "ccw_loop_live_loops", help: "Loops watched for them.", values: [["", loops]] },
      ]);
      return new Response(text, {
        headers: { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" },
      });
    },
    projectInfo: async () => ({ data: (await options.about?.()) ?? UNKNOWN }),
    listProjects: () => ({ data: options.projects ?? [] }),
    openapi: ({ base }) => Response.json(openApiDocument(base)),
    docs: () => docsPage(""),
  };
}

/** Where the host does not say. */
const UNKNOWN: ProjectInfo = { name: null, tests: null, missing: [], agents: [] };
