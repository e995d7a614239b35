export { detect } from "./detect/detect.ts";
export { missingFor } from "./missing.ts";
export type { RunSettings } from "./process/run-command.ts";
export { runPlan, runPlanIn } from "./run-plan.ts";
