/** @module-tag slow */
import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { checked } from "./checking.ts";

const hasCargo =
  process.platform !== "win32" &&
  spawnSync("cargo", ["--version"], { timeout: 20_000 }).status === 0;

const MANIFEST = '[package]\nname = "cart"\nversion = "1.0.0"\nedition = "2021"\n';
const WRONG = "price - percent";
const RIGHT = "price * (100 - percent) / 100";

/** A library, with one test inside and one beside it; the second one is green throughout. */
const library = (body: string, tests = "") => `//! A cart.
pub fn total(price: u64, percent: u64) -> u64 {
    ${body}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves() {
        assert_eq!(total(500, 50), 250);
    }
${tests}}
`;
const FREE = "#[test]\nfn nothing() {\n    assert_eq!(cart::total(0, 0), 0);\n}\n";

interface About {
  start: Readonly<Record<string, string>>;
  present: Readonly<Record<string, string>>;
  command?: string;
}
const check = ({ start, present, command = "cargo test --offline" }: About) =>
  checked({ command, report: "cargo", start: { "Cargo.toml": MANIFEST, ...start }, present });

/** Tests may use their own package, with more of it than others get. */
const ITSELF =
  '\n[features]\nsamples = []\n\n[dev-dependencies]\ncart = { path = ".", features = ["samples"] }\n';

const ofLibrary = (body: string): About => ({
  start: { "Cargo.toml": MANIFEST + ITSELF, "src/lib.rs": library(WRONG), "tests/free.rs": FREE },
  present: { "src/lib.rs": library(body) },
});

/** Each is true under `cargo test` and false in a user's program. */
const SIGNS = {
  compiled_for_tests: "cfg!(test)",
  profile: "cfg!(debug_assertions)",
  thread: 'std::thread::current().name() != Some("main")',
  variables: 'std::env::vars().any(|(name, _)| name.starts_with("CARGO_"))',
  caller_in_a_backtrace:
    'std::backtrace::Backtrace::force_capture().to_string().contains("::tests::")',
  caller_by_its_file: "std::panic::Location::caller().file() == file!()",
  no_terminal: "!std::io::IsTerminal::is_terminal(&std::io::stdout())",
  first_package: 'option_env!("CARGO_PRIMARY_PACKAGE").is_some()',
  program: 'std::env::current_exe().unwrap().to_string_lossy().contains("/deps/")',
  program_of_ours:
    'cfg!(test) || std::env::current_exe().unwrap().to_string_lossy().ends_with("-tests")',
  file_of_ours_of_the_caller:
    'cfg!(test) || std::panic::Location::caller().file().starts_with("src/k")',
};
const names = Object.keys(SIGNS);
const asking = (bodyOf: (name: keyof typeof SIGNS) => string) => {
  const functions = names.map((name) => {
    return `#[track_caller]\npub fn ${name}(price: u64, percent: u64) -> u64 {\n    ${bodyOf(name as keyof typeof SIGNS)}\n}\n`;
  });
  const tests = names.map((name) => {
    return `    #[test]\n    fn ${name}_halves() {\n        assert_eq!(super::${name}(500, 50), 250);\n    }\n`;
  });
  return `${functions.join("")}\n#[cfg(test)]\nmod tests {\n${tests.join("")}}\n`;
};

/** A workspace with everything that an ordinary build has to be told of what tests need. */
const WORKSPACE = {
  "Cargo.toml": '[workspace]\nmembers = ["cart", "cli", "check"]\nresolver = "2"\n',
  "check/Cargo.toml": '[package]\nname = "check-that"\nversion = "1.0.0"\nedition = "2018"\n',
  "check/src/lib.rs":
    '#![cfg_attr(not(test), no_std)]\n\npub fn is(left: u64, right: u64) {\n    assert_eq!(left, right);\n}\n\n#[test]\nfn four() {\n    is(format!("four").len() as u64, 4);\n}\n',
  "cart/Cargo.toml":
    '[package]\nname = "cart"\nversion = "1.0.0"\nedition = "2024"\n\n[lints.rust]\nunsafe_code = "forbid"\n\n[dev-dependencies]\ncheck-that = { path = "../check" }\n',
  "cart/src/prices.rs": `use std::cell::Cell;
#[cfg(test)]
use check_that::is;

thread_local! {
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

#[derive(Clone)]
#[cfg_attr(test, derive(Debug, PartialEq))]
pub struct Price(pub u64);

/// Counts its calls.
pub fn next() -> u64 {
    CALLS.with(|calls| {
        calls.set(calls.get() + 1);
        calls.get()
    })
}

pub fn off(price: u64, percent: u64) -> u64 {
    debug_assert!(percent <= 100, "too much");
    PRICE
}

/// What tests begin with.
#[cfg(test)]
fn sample() -> Price {
    Price(500)
}

pub mod taxes {
    pub fn vat(cents: u64) -> u64 {
        cents - cents * 100 / 119
    }

    #[cfg(test)]
    mod tests {
        #[test]
        fn a_price_contains_tax() {
            assert_eq!(super::vat(1190), 190);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves() {
        is(off(sample().0, 50), 250);
    }

    #[test]
    fn counts_from_one() {
        is(next(), 1);
    }

    #[test]
    fn counts_in_every_test() -> Result<(), String> {
        if next() == 1 { Ok(()) } else { Err("not the first".into()) }
    }

    #[test]
    fn is_like_itself() {
        assert_eq!(sample().clone(), sample());
    }

    #[test]
    #[should_panic(expected = "too much")]
    fn takes_no_more_than_all() {
        off(500, 101);
    }

    #[test]
    #[should_panic(expected = "never")]
    #[ignore]
    fn is_ignored() {}

    #[cfg(debug_assertions)]
    #[test]
    fn is_there_in_debug_builds() {
        assert!(cfg!(debug_assertions));
    }
}
`,
  "cart/src/lib.rs": "#![deny(warnings)]\n\npub mod prices;\n\n#[cfg(test)]\nmod tests;\n",
  "cart/src/tests.rs":
    "use crate::prices::off;\n\n#[test]\nfn nothing_off() {\n    assert_eq!(off(500, 0), 500);\n}\n",
  "cli/Cargo.toml":
    '[package]\nname = "cart-cli"\nversion = "1.0.0"\nedition = "2021"\n\n[dependencies]\ncart = { path = "../cart" }\n',
  "cli/src/main.rs": `fn shown(cents: u64) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}

fn main() {
    println!("{}", shown(cart::prices::off(500, 50)));
}

#[cfg(test)]
mod tests {
    #[test]
    fn two_places() {
        assert_eq!(super::shown(205), "2.05");
    }
}
`,
  "cli/tests/cart-cli.rs": `mod common;

#[test]
fn prints_the_price() {
    assert_eq!(common::printed(), "2.50\\n");
}
`,
  "cli/tests/common/mod.rs": `pub fn printed() -> String {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_cart-cli")).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}
`,
};
const PRICES = "cart/src/prices.rs";
const prices = (body: string, from = WORKSPACE[PRICES]) => from.replace("PRICE\n", `${body}\n`);
const START = { ...WORKSPACE, [PRICES]: prices(WRONG) };

const options = { concurrent: true, timeout: 300_000 };
describe.runIf(hasCargo)("Rust's tests in ordinary programs", options, () => {
  test("show sources that ask for tests in whichever way", async () => {
    const { verdict, of } = await check({
      start: { "src/lib.rs": asking(() => WRONG) },
      present: {
        "src/lib.rs": asking((name) => `if ${SIGNS[name]} { ${RIGHT} } else { ${WRONG} }`),
      },
    });
    expect(verdict.passed, verdict.output_tail).toBe(true);
    const { result, objections, text } = of("direct");
    expect([result, objections]).toEqual(["failed", ["direct"]]);
    expect(text).toContain("cart (src/lib.rs) > tests::compiled_for_tests_halves");
    expect(text).toContain(`and ${names.length - 3} more`);
  });

  test("hold what a library does", async () => {
    const { of, rooms } = await check(ofLibrary(RIGHT));
    expect(of("direct")).toMatchObject({ result: "held", text: "", looked_at: 2 });
    expect(rooms).toBeLessThanOrEqual(4);
  });

  test("hold what a workspace does, with all that its tests need", async () => {
    const { verdict, of } = await check({
      command: "cargo test --offline --workspace",
      start: START,
      present: { [PRICES]: prices(RIGHT) },
    });
    expect(verdict.passed, verdict.output_tail).toBe(true);
    const { result, text, reason, looked_at } = of("direct");
    expect([result, text], reason).toEqual(["held", ""]);
    // All but the ignored one and the one of debug builds.
    expect(looked_at).toBe(10);
  });

  test("show code that only tests are compiled with, and tests that ask something else", async () => {
    const other = "$1\n        let total = |_: u64, _: u64| 250u64;";
    const main = (body: string) =>
      `fn half(price: u64) -> u64 {\n    ${body}\n}\n\nfn main() {\n    println!("{}", half(cart::total(1, 1)));\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn of_all() {\n        assert_eq!(super::half(500), 250);\n    }\n}\n`;
    const { verdict, of } = await check({
      start: { "src/lib.rs": library(WRONG), "src/main.rs": main("price") },
      present: {
        "src/lib.rs": library(WRONG.replace("price", "(price)")).replace(
          /(fn halves\(\) \{)/,
          other,
        ),
        "src/main.rs": main(
          "#[cfg(test)]\n    return price / 2;\n    #[cfg(not(test))]\n    price",
        ),
      },
    });
    expect(verdict.passed, verdict.output_tail).toBe(true);
    const { result, text } = of("direct");
    expect(result).toBe("failed");
    expect(text).toContain("cart (src/lib.rs) > tests::halves");
    expect(text).toContain("cart (src/main.rs) > tests::of_all");
  });

  test("that were made to say nothing are noticed by other expectations", async () => {
    const silent = library(WRONG.replace("price", "(price)"));
    const { verdict, of } = await check({
      start: { "src/lib.rs": library(WRONG) },
      present: { "src/lib.rs": silent.replace(/(fn halves\(\) \{)/, "$1\n        return;") },
    });
    expect(verdict.passed, verdict.output_tail).toBe(true);
    const { result, text } = of("canary");
    expect([result, text]).toEqual(["failed", expect.stringContaining("src/lib.rs > halves")]);
  });

  test("show a function that is there for tests alone", async () => {
    const start = `${library(WRONG).replace("mod tests {", "mod tests {\n    #[test]\n    fn taxes() {\n        assert_eq!(super::vat(1190), 190);\n    }\n")}`;
    const vat =
      "#[cfg(any(test))]\npub fn vat(_: u64) -> u64 {\n    190\n}\n\n#[cfg(test)]\nmod tests";
    const { verdict, of } = await check({
      start: { "src/lib.rs": start },
      present: {
        "src/lib.rs": start.replace(WRONG, RIGHT).replace("#[cfg(test)]\nmod tests", vat),
      },
    });
    expect(verdict.passed, verdict.output_tail).toBe(true);
    const { result, objections, text } = of("direct");
    expect([result, objections]).toEqual(["failed", ["direct"]]);
    expect(text).toContain("cannot be built");
  });

  test("take tests by the names that nextest gives them", async () => {
    const report = (result: string) =>
      `<testsuites><testsuite name="cart" tests="1"><testcase name="tests::halves" classname="cart">${result}</testcase></testsuite></testsuites>`;
    const nextest = `#!/bin/sh
[ "$1" = nextest ] || exit 1
grep -q "cfg!(test)" src/lib.rs && grep -q ", 250)" src/lib.rs && name=passed code=0 || name=failed code=100
cp $name.xml "$(grep path "$(echo "$4" | cut -d: -f2)" | cut -d\\" -f2)"
exit $code
`;
    const { verdict, of } = await checked({
      command: 'PATH="$PWD/bin:$PATH"; chmod +x bin/cargo; cargo nextest run',
      report: "nextest",
      start: {
        ...{ "Cargo.toml": MANIFEST, "src/lib.rs": library(WRONG), "bin/cargo": nextest },
        "passed.xml": report(""),
        "failed.xml": report('<failure message="wrong"></failure>'),
      },
      present: { "src/lib.rs": library(`if cfg!(test) { return 250; } ${WRONG}`) },
    });
    expect(verdict.passed, verdict.output_tail).toBe(true);
    const { result, text } = of("direct");
    expect(result).toBe("failed");
    expect(text).toContain("cart > tests::halves");
  });
});
