import type { Folder } from "./folder.ts";
import type { Detector, Suite } from "./suite.ts";

export const RAKEFILES = ["Rakefile", "rakefile", "Rakefile.rb"];
/** A Rakefile with tests. */
export const RAKE_TEST = /Rake::TestTask|Minitest::TestTask|^\s*task\s+:?["']?test\b/m;
const RUBY_TEST_FILE = /^test\/(.*_test|(.*\/)?test_[^/]*)\.rb$/;
const TEST_CLASS =
  /\b(Minitest|Test::Unit|ActiveSupport::TestCase|ActionDispatch)\b|require ["'](minitest|test)\/|test_helper/;

/** RSpec, where it is named or configured; else minitest and test-unit, whose tests are of one kind. */
export const ruby: Detector = (folder) => {
  const gemfile = folder.head("Gemfile") ?? "";
  const bundled = /\brspec\b/.test(gemfile);
  const source = bundled ? "Gemfile" : folder.first([".rspec", "spec/spec_helper.rb"]);
  if (source !== undefined && folder.find(/_spec\.rb$/) !== null) {
    return [{ command: bundled ? "bundle exec rspec" : "rspec", source, report: "rspec" }];
  }
  const test = folder.find(RUBY_TEST_FILE, TEST_CLASS);
  return test === null ? [] : [minitest(folder, test, gemfile !== "" ? "bundle exec " : "")];
};

/** By what the project itself starts its tests with; without that, each file by Ruby. */
function minitest(folder: Folder, test: string, bundle: string): Suite {
  const report = "minitest";
  if (folder.first(["bin/rails"]))
    return { command: "bin/rails test", source: "bin/rails", report };
  const rakefile = folder.first(RAKEFILES);
  const runs = rakefile === undefined ? null : folder.head(rakefile);
  if (rakefile !== undefined && runs !== null && RAKE_TEST.test(runs)) {
    return { command: `${bundle}rake test`, source: rakefile, report, runs };
  }
  const files = '"./test/**/{*_test,test_*}.rb"';
  const program = `Dir.glob(${files}).sort.each { |file| require file unless file.end_with?("test_helper.rb") }`;
  return { command: `${bundle}ruby -Ilib -Itest -e '${program}'`, source: test, report };
}
