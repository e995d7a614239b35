export { isTestFile } from "./files/test-files.ts";
export { type Evidence, judge, type Verdict } from "./judge.ts";
export { testEnvironment } from "./process/environment.ts";
export { type VerifierOptions, verifier } from "./verifier.ts";
