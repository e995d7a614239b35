import { LoopError, LoopStatus, type StoreFigures } from "@ccw-loop/core";
import type { Gauge } from "../app/metrics.ts";
import type { AppOptions } from "../app/options.ts";
import type { AppDeps, Handlers } from "../app/serve-operation.ts";
import type { Finding, HOST, ProjectInfo } from "../contract/host.ts";
import { openApiDocument } from "../openapi/document.ts";
import { docsPage } from "../openapi/page.ts";

export function hostHandlers(deps: AppDeps): Handlers<typeof HOST> {
  const { service, options } = deps;
  const { redact = (text: string) => text } = options;
  /** Who asks while somebody looks gets what that one finds. */
  let looking: Promise<Finding[]> | undefined;
  const findings = async (doctor: NonNullable<AppOptions["doctor"]>) =>
    (await doctor()).map(({ message, next, ...one }) => ({
      ...one,
      message: redact(message),
      next: next === null ? null : redact(next),
    }));
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
        ...(options.figures ? gaugesOf(await options.figures()) : []),
      ]);
      return new Response(text, {
        headers: { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" },
      });
    },
    projectInfo: async () => ({ data: (await options.about?.()) ?? UNKNOWN }),
    listProjects({ client }) {
      const isFor = client?.projects ?? null;
      const all = options.projects ?? [];
      return { data: all.filter(({ name }) => isFor === null || isFor.includes(name)) };
    },
    async doctor() {
      if (options.doctor === undefined) return { data: { findings: null } };
      looking ??= findings(options.doctor).finally(() => {
        looking = undefined;
      });
      return { data: { findings: await looking } };
    },
    openapi: ({ base }) => Response.json(openApiDocument(base)),
    docs: () => docsPage(""),
  };
}

/** Where the host does not say. */
const UNKNOWN: ProjectInfo = { name: null, tests: null, missing: [], agent: null, agents: [] };

/** By these a fleet is sized and watched: many queued loops want more workers, an old lease is a worker that hangs. */
function gaugesOf({ driven, waiting, queued, lease_age_ms, takeovers }: StoreFigures): Gauge[] {
  const running = [
    ['state="driven"', driven],
    ['state="waiting"', waiting],
    ['state="queued"', queued],
  ] as const;
  const seconds = (lease_age_ms ?? 0) / 1000;
  return [
    {
      name: "ccw_loop_running_loops",
      help: "Running loops by what becomes of them.",
      values: running,
    },
    {
      name: "ccw_loop_lease_age_seconds",
      help: "Since the lease that was renewed longest ago, of those that hold.",
      values: [["", seconds]],
    },
    {
      name: "ccw_loop_takeovers_total",
      type: "counter",
      help: "Leases that ended without being given back, and were taken over.",
      values: [["", takeovers]],
    },
  ];
}
