import { type Detector, findFile, firstFile } from "./detector.ts";
import { planOf } from "./plan.ts";

export const go: Detector = async (cwd) => {
  if (!firstFile(cwd, ["go.mod"]) || !(await findFile(cwd, /_test\.go$/))) return null;
  return planOf("go test ./...", "go.mod", "go");
};
