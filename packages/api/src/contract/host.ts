import { z } from "zod";
import { type Operation, operation, success } from "./operation.ts";

const topic = "Host";
const get = { method: "get", topic, example: {} } as const;

export const health = operation({
  ...get,
  id: "health",
  path: "/api/health",
  summary: "Whether it answers at all",
  answer: {
    json: success({ data: z.object({ status: z.literal("ok"), version: z.string().nullable() }) }),
  },
  open: true,
});

export const ready = operation({
  ...get,
  id: "ready",
  path: "/api/ready",
  failures: [503],
  summary: "Whether loops can be read and requests are taken: 503 otherwise",
  answer: {
    json: success({
      data: z.object({
        drives: z
          .boolean()
          .nullable()
          .describe(
            "Whether running loops are driven here; false under `--no-drive`, null when the host does not say.",
          ),
      }),
    }),
  },
  open: true,
});

export const metrics = operation({
  ...get,
  id: "metrics",
  path: "/metrics",
  summary: "Figures in the text format of Prometheus",
  answer: { text: ["text/plain"] },
});

export const listProjects = operation({
  ...get,
  id: "listProjects",
  path: "/api/projects",
  summary:
    "The projects of this server; all other paths are below `path` of each, and below `/` of the first",
  answer: {
    json: success({
      data: z.array(z.object({ name: z.string(), path: z.string(), first: z.boolean() })),
    }),
  },
  served: true,
});

export const openapi = operation({
  ...get,
  id: "openapi",
  path: "/api/openapi.json",
  summary: "This document",
  answer: { json: z.looseObject({ openapi: z.string() }) },
  open: true,
});

export const docs = operation({
  ...get,
  id: "docs",
  path: "/api/docs",
  summary: "This document, to read",
  answer: { text: ["text/html"] },
  open: true,
});

export const HOST_OPERATIONS: readonly Operation[] = [
  health,
  ready,
  metrics,
  listProjects,
  openapi,
  docs,
];
