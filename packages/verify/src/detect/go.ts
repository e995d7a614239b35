import type { Detector } from "./suite.ts";

/** A module's tests; modules below are none of its own. */
export const go: Detector = (folder) => {
  if (!folder.first(["go.mod"])) return [];
  const hasTests = folder.apartFrom("go.mod").find(/_test\.go$/) !== null;
  return hasTests ? [{ command: "go test ./...", source: "go.mod", report: "go" }] : [];
};
