export type * from "./service/loop-service.ts";
