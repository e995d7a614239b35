export { createApp } from "./app/app.ts";
export type { Access, AppOptions, RequestRecord } from "./app/options.ts";
