import { join } from "node:path";
import { type Detector, findFile, firstFile, headOf } from "./detector.ts";
import { planOf } from "./plan.ts";

export const ruby: Detector = async (cwd) => {
  const bundled = /\brspec\b/.test((await headOf(join(cwd, "Gemfile"))) ?? "");
  const source = bundled ? "Gemfile" : firstFile(cwd, [".rspec", "spec/spec_helper.rb"]);
  if (source === undefined || !(await findFile(cwd, /_spec\.rb$/))) return null;
  return planOf(bundled ? "bundle exec rspec" : "rspec", source, "rspec");
};
