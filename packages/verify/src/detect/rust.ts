import type { Folder } from "./folder.ts";
import type { Detector } from "./suite.ts";

const RUST_TEST = /#\[(\w+::)*test\b|#\[cfg\(test\)\]|#\[rstest\b/;

/** All crates of a workspace; nextest where the project configures it, which leaves documentation tests to cargo. */
export const rust: Detector = (folder) => {
  if (!folder.first(["Cargo.toml"])) return [];
  const isWhole = isWorkspace(folder);
  const own = isWhole ? folder : folder.apartFrom("Cargo.toml");
  if (own.find(/\.rs$/, RUST_TEST) === null) return [];
  const all = isWhole ? " --workspace" : "";
  const nextest = folder.first([".config/nextest.toml"]);
  return nextest
    ? [{ command: `cargo nextest run${all}`, source: nextest, report: "nextest" }]
    : [{ command: `cargo test${all}`, source: "Cargo.toml", report: "cargo" }];
};

export function isWorkspace(folder: Folder): boolean {
  return /^\[workspace\]/m.test(folder.head("Cargo.toml") ?? "");
}
