import { type Detector, findFile, firstFile } from "./detector.ts";
import { planOf } from "./plan.ts";

const TEST = /#\[(\w+::)*test\b|#\[cfg\(test\)\]|#\[rstest\b/;

/** nextest where the project configures it, which leaves documentation tests to cargo. */
export const rust: Detector = async (cwd) => {
  if (!firstFile(cwd, ["Cargo.toml"]) || !(await findFile(cwd, /\.rs$/, TEST))) return null;
  const nextest = firstFile(cwd, [".config/nextest.toml"]);
  return nextest
    ? planOf("cargo nextest run", nextest, "nextest")
    : planOf("cargo test", "Cargo.toml", "cargo");
};
