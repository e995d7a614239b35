import { LoopError, LoopStatus, type StoreFigures } from "@ccw-loop/core";
import { type Metric, prometheusText } from "../app/metrics.ts";
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
      return new Response(prometheusText(await deps.metrics.read()), {
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

/** What is counted at the moment when somebody asks. */
export async function gaugesOf({ service, live, options }: AppDeps): Promise<Metric[]> {
  const statuses = LoopStatus.options.map(async (status) => {
    const { total } = await service.list({ status, limit: 1 });
    return { labels: { status }, value: total };
  });
  const { listeners, loops } = live.figures();
  return [
    {
      ...{ name: "ccw_loop_loops", type: "gauge", help: "Loops by status." },
      samples: await Promise.all(statuses),
    },
    gauge("ccw_loop_live_clients", "Open event streams.", listeners),
    gauge("ccw_loop_live_loops", "Loops watched for them.", loops),
    ...(options.figures ? storeGauges(await options.figures()) : []),
  ];
}

function gauge(name: string, help: string, value: number): Metric {
  return { name, type: "gauge", help, samples: [{ labels: {}, value }] };
}

/** By these a fleet is sized and watched: many queued loops want more workers, an old lease is a worker that hangs. */
function storeGauges({ lease_age_ms, takeovers, ...running }: StoreFigures): Metric[] {
  const states = ["driven", "waiting", "queued"] as const;
  return [
    {
      ...{ name: "ccw_loop_running_loops", type: "gauge" },
      help: "Running loops by what becomes of them.",
      samples: states.map((state) => ({ labels: { state }, value: running[state] })),
    },
    gauge(
      "ccw_loop_lease_age_seconds",
      "Since the lease that was renewed longest ago, of those that hold.",
      (lease_age_ms ?? 0) / 1000,
    ),
    {
      ...{ name: "ccw_loop_takeovers_total", type: "counter" },
      help: "Leases that ended without being given back, and were taken over.",
      samples: [{ labels: {}, value: takeovers }],
    },
  ];
}
