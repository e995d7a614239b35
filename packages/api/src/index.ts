export { createApp } from "./app/create-app.ts";
export type { Access, AppOptions, RequestRecord } from "./app/options.ts";
