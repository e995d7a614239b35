export { type Metric, type MetricsOptions, sendMetrics } from "./metrics.ts";
export { type Telemetry, type TelemetryOptions, telemetry } from "./telemetry.ts";
