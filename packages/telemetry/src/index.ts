export { type Telemetry, type TelemetryOptions, telemetry } from "./telemetry.ts";
