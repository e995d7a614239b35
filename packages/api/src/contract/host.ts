import { z } from "zod";
import { dataAnswer, operations } from "./operation.ts";

export const ProjectInfo = z.object({
  name: z.string().nullable(),
  tests: z
    .array(
      z.object({
        command: z.string(),
        source: z.string().describe("The file that says so, or `given`."),
        report: z.string().describe("How its results are read."),
      }),
    )
    .nullable()
    .describe("The suites that were found; empty where none were, null where nobody looked."),
  missing: z.array(z.string()).describe("What the tests need and is not there, in sentences."),
  agent: z
    .string()
    .nullable()
    .describe(
      "The agent that a form begins with: the configured one, else the first that can work here; null while that is looked for.",
    ),
  agents: z
    .array(z.object({ name: z.string(), argument: z.string().optional(), describe: z.string() }))
    .describe("The agents that a loop may have; one with an `argument` is named `NAME:ARGUMENT`."),
});
export type ProjectInfo = z.infer<typeof ProjectInfo>;

/** What one check of a project found, or of the machine that it lies on. */
const Finding = z.object({
  check: z.string(),
  status: z
    .enum(["ok", "note", "problem"])
    .describe("A problem keeps loops from being proven here."),
  message: z.string(),
  next: z.string().nullable().describe("What to do about it."),
});
export type Finding = z.infer<typeof Finding>;

const get = { method: "get", example: {} } as const;

export const HOST = operations("Host", {
  health: {
    ...get,
    path: "/api/health",
    summary: "Whether it answers at all",
    answer: dataAnswer(z.object({ status: z.literal("ok"), version: z.string().nullable() })),
    open: true,
  },
  ready: {
    ...get,
    path: "/api/ready",
    failures: [503],
    summary: "Whether loops can be read and requests are taken: 503 otherwise",
    answer: dataAnswer(
      z.object({
        drives: z
          .boolean()
          .nullable()
          .describe(
            "Whether running loops are driven here; false under `--no-drive`, null when the host does not say.",
          ),
      }),
    ),
    open: true,
  },
  metrics: {
    ...get,
    path: "/metrics",
    summary: "Figures in the text format of Prometheus",
    answer: { text: ["text/plain"] },
  },
  listProjects: {
    ...get,
    path: "/api/projects",
    summary:
      "The projects of this server that the token is for; all other paths are below `path` of each, and below `/` of the first",
    answer: dataAnswer(
      z.array(z.object({ name: z.string(), path: z.string(), first: z.boolean() })),
    ),
  },
  projectInfo: {
    ...get,
    path: "/api/project",
    summary: "What a new loop can have here: the tests that were found, and the agents",
    answer: dataAnswer(ProjectInfo.meta({ id: "ProjectInfo" })),
  },
  doctor: {
    ...get,
    path: "/api/doctor",
    summary: "What a loop needs here and whether it is there: git, the tests, the agent, the store",
    description: "As `ccw-loop doctor` finds it on the server's machine. It may take seconds.",
    answer: dataAnswer(
      z
        .object({ findings: z.array(Finding).nullable().describe("Null where nobody looks.") })
        .meta({ id: "Findings" }),
    ),
  },
  openapi: {
    ...get,
    path: "/api/openapi.json",
    summary: "This document",
    answer: { json: z.looseObject({ openapi: z.string() }) },
    open: true,
  },
  docs: {
    ...get,
    path: "/api/docs",
    summary: "This document, to read",
    answer: { text: ["text/html"] },
    open: true,
  },
});
