import type { LoopService } from "@ccw-loop/core";
import type { Live } from "../live/live.ts";
import type { Metrics } from "./metrics.ts";
import type { AppOptions } from "./options.ts";
import type { IdempotencyCache } from "./repetitions.ts";

/** What every route is given. */
export interface AppDeps {
  service: LoopService;
  live: Live;
  options: AppOptions;
  metrics: Metrics;
  repetitions: IdempotencyCache;
}
