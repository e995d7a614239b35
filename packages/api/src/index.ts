export { createApp } from "./app/app.ts";
export { type Durations, type Metric, Metrics, type Sample } from "./app/metrics.ts";
export type { Access, AppOptions } from "./app/options.ts";
export type { RequestRecord } from "./app/request-record.ts";
