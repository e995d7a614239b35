import type { Edit, Group, Project } from "../src/project.ts";

const RUBY = `module Years
  def self.leap?(year)
    (year % 4).zero? && (year % 100 != 0 || (year % 400).zero?)
  end
end
`;

const RUBY_EDIT = {
  file: "lib/years.rb",
  right: "year % 100 != 0 || (year % 400).zero?",
  bug: "year % 100 != 0 || (year % 900).zero?",
  wrong: "year % 100 == 0 || (year % 400).zero?",
};

/** The edits of a file in C or Java. */
const edited = (file: string): Edit => ({
  file,
  right: "year % 100 != 0 || year % 400 == 0",
  bug: "year % 100 != 0 || year % 900 == 0",
  wrong: "year % 100 == 0 || year % 400 == 0",
});

/** A leap year, in every language: what is wrong with it shows in 1900 alone, or everywhere. */
const projects: Project[] = [
  {
    name: "python-pytest",
    tools: "Python, pytest",
    needs: "pytest --version",
    from: {
      files: {
        "pyproject.toml":
          '[project]\nname = "years"\nversion = "1.0"\n\n[tool.pytest.ini_options]\n',
        "years.py": `def leap(year):
    if year % 400 == 0:
        return True
    return year % 4 == 0 and year % 100 != 0
`,
        "test_years.py": `import pytest
from years import leap


@pytest.mark.parametrize("year, expected", [(2024, True), (2023, False), (1900, False)])
def test_leap(year, expected):
    assert leap(year) is expected


def test_every_fourth_century():
    assert leap(2000)


@pytest.mark.skip(reason="before the calendar")
def test_year_four():
    assert leap(4)
`,
      },
    },
    test: "pytest",
    edit: {
      file: "years.py",
      right: "year % 100 != 0",
      bug: "year % 1000 != 0",
      wrong: "year % 100 == 0",
    },
    readers: ["junit"],
  },
  {
    name: "python-unittest",
    tools: "Python, unittest in a package",
    needs: "python3 --version",
    from: {
      files: {
        "setup.py": 'from setuptools import setup\n\nsetup(name="years", packages=["years"])\n',
        "years/__init__.py": `def leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
`,
        "tests/__init__.py": "",
        "tests/test_years.py": `import unittest

from years import leap


class Leap(unittest.TestCase):
    def test_every_fourth(self):
        self.assertTrue(leap(2024))
        self.assertFalse(leap(2023))

    def test_not_every_century(self):
        for year in (1700, 1800, 1900):
            with self.subTest(year=year):
                self.assertFalse(leap(year))

    def test_every_fourth_century(self):
        self.assertTrue(leap(2000))
`,
      },
    },
    test: "python3 -m unittest",
    edit: {
      file: "years/__init__.py",
      right: "(year % 100 != 0 or year % 400 == 0)",
      bug: "(year % 400 == 0)",
      wrong: "(year % 100 == 0)",
    },
  },
  {
    name: "go",
    tools: "Go, two packages",
    needs: "go version",
    from: {
      files: {
        "go.mod": "module example.org/years\n\ngo 1.19\n",
        "leap/leap.go": `// Package leap knows the calendar.
package leap

// Is tells whether a year has 366 days.
func Is(year int) bool {
	return year%4 == 0 && (year%100 != 0 || year%400 == 0)
}
`,
        "leap/leap_test.go": `package leap

import "testing"

func TestIs(t *testing.T) {
	for year, want := range map[int]bool{2024: true, 2023: false, 1900: false, 2000: true} {
		if Is(year) != want {
			t.Errorf("%d: want %v", year, want)
		}
	}
}

func TestEveryCentury(t *testing.T) {
	t.Run("the fourth", func(t *testing.T) {
		if !Is(2000) {
			t.Error("2000")
		}
	})
}
`,
        "days/days.go": `package days

import "example.org/years/leap"

// In tells how many days a year has.
func In(year int) int {
	if leap.Is(year) {
		return 366
	}
	return 365
}
`,
        "days/days_test.go": `package days

import "testing"

func TestIn(t *testing.T) {
	if In(2023) != 365 {
		t.Error("2023")
	}
}
`,
      },
    },
    test: "go test ./...",
    edit: {
      file: "leap/leap.go",
      right: "year%100 != 0 || year%400 == 0",
      bug: "year%100 == 0 || year%400 == 0",
      wrong: "year%100 != 0 && year%400 == 0",
    },
    readers: ["go-json"],
  },
  {
    name: "rust",
    tools: "Rust, tests in sources, in tests/ and in documentation",
    needs: "cargo --version",
    from: {
      files: {
        "Cargo.toml": '[package]\nname = "years"\nversion = "1.0.0"\nedition = "2021"\n',
        "Cargo.lock": 'version = 3\n\n[[package]]\nname = "years"\nversion = "1.0.0"\n',
        ".gitignore": "target\n",
        "src/lib.rs": `/// Tells whether a year has 366 days.
///
/// \`\`\`
/// assert!(years::leap(2024));
/// \`\`\`
pub fn leap(year: u32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fourth() {
        assert!(leap(2024));
        assert!(!leap(2023));
    }
}
`,
        "tests/centuries.rs": `use years::leap;

#[test]
fn not_every_century() {
    assert!(!leap(1900));
}

#[test]
fn every_fourth_century() {
    assert!(leap(2000));
}
`,
      },
    },
    test: "cargo test",
    edit: {
      file: "src/lib.rs",
      right: "(year % 100 != 0 || year % 400 == 0)",
      bug: "(year % 100 != 0)",
      wrong: "(year % 100 == 0)",
    },
    readers: ["libtest"],
  },
  {
    name: "c-make",
    tools: "C, a test program behind make",
    needs: "make --version && cc --version",
    from: {
      files: {
        ".gitignore": "*.o\ntests/run\n",
        Makefile: `CFLAGS = -Wall -O1

tests/run: tests/run.c years.c years.h
	$(CC) $(CFLAGS) -I. -o $@ tests/run.c years.c

test: tests/run
	./tests/run

clean:
	rm -f tests/run

.PHONY: test clean
`,
        "years.h": "int leap(int year);\n",
        "years.c": `#include "years.h"

int leap(int year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}
`,
        "tests/run.c": `#include <stdio.h>
#include "years.h"

static int count, failed;

static void expect(const char *name, int got, int want) {
  count++;
  if (got != want) failed++;
  printf("%sok %d - %s\\n", got == want ? "" : "not ", count, name);
}

int main(void) {
  expect("every fourth", leap(2024), 1);
  expect("no other", leap(2023), 0);
  expect("not every century", leap(1900), 0);
  expect("every fourth century", leap(2000), 1);
  printf("1..%d\\n", count);
  return failed > 0;
}
`,
      },
    },
    test: "make test",
    edit: edited("years.c"),
    readers: ["tap"],
  },
  {
    name: "c-ctest",
    tools: "C, CMake with ctest",
    needs: "cmake --version && ctest --version && cc --version",
    from: {
      files: {
        ".gitignore": "build\n",
        "CMakeLists.txt": `cmake_minimum_required(VERSION 3.16)
project(years C)
enable_testing()
add_library(years years.c)
foreach(name fourth century)
  add_executable(test_\${name} tests/\${name}.c)
  target_link_libraries(test_\${name} years)
  target_include_directories(test_\${name} PRIVATE .)
  add_test(NAME \${name} COMMAND test_\${name})
endforeach()
`,
        "years.h": "int leap(int year);\n",
        "years.c": `#include "years.h"

int leap(int year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}
`,
        "tests/fourth.c":
          '#include "years.h"\n\nint main(void) { return !(leap(2024) && !leap(2023)); }\n',
        "tests/century.c":
          '#include "years.h"\n\nint main(void) { return leap(1900) || !leap(2000); }\n',
      },
    },
    verify: [
      "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure",
    ],
    edit: edited("years.c"),
    readers: ["exit-code", "exit-code", "junit"],
  },
  {
    name: "perl",
    tools: "Perl, prove",
    needs: "prove --version",
    from: {
      files: {
        "Makefile.PL": 'use ExtUtils::MakeMaker;\nWriteMakefile(NAME => "Years");\n',
        "lib/Years.pm": `package Years;
use strict;
use warnings;

sub leap {
    my ($year) = @_;
    return $year % 4 == 0 && ($year % 100 != 0 || $year % 400 == 0);
}

1;
`,
        "t/fourth.t": `use strict;
use warnings;
use Test::More tests => 2;
use Years;

ok(Years::leap(2024), "every fourth");
ok(!Years::leap(2023), "no other");
`,
        "t/century.t": `use strict;
use warnings;
use Test::More;
use Years;

subtest "centuries" => sub {
    ok(!Years::leap(1900), "not every one");
    ok(Years::leap(2000), "every fourth one");
};
done_testing();
`,
      },
    },
    test: "prove -lr t",
    edit: {
      file: "lib/Years.pm",
      right: "$year % 100 != 0 || $year % 400 == 0",
      bug: "$year % 100 != 0 || $year % 900 == 0",
      wrong: "$year % 100 == 0 || $year % 400 == 0",
    },
  },
  {
    name: "shell-bats",
    tools: "Shell, bats",
    needs: "bats --version",
    from: {
      files: {
        "bin/leap": `#!/bin/sh
year=$1
[ $((year % 4)) -eq 0 ] || exit 1
[ $((year % 100)) -ne 0 ] || [ $((year % 400)) -eq 0 ]
`,
        "test/leap.bats": `@test "every fourth" {
  bin/leap 2024
}

@test "no other" {
  ! bin/leap 2023
}

@test "not every century" {
  run bin/leap 1900
  [ "$status" -eq 1 ]
}
`,
      },
    },
    test: "bats test",
    edit: {
      file: "bin/leap",
      right: "[ $((year % 100)) -ne 0 ]",
      bug: "[ $((year % 100)) -eq 0 ]",
      wrong: "[ $((year % 200)) -ne 0 ]",
    },
    readers: ["tap"],
  },
  {
    name: "ruby-minitest",
    tools: "Ruby, minitest by rake",
    needs: "rake --version && ruby -e 'require \"minitest\"'",
    from: {
      files: {
        Rakefile: `require "rake/testtask"

Rake::TestTask.new do |t|
  t.pattern = "test/*_test.rb"
end

task default: :test
`,
        "lib/years.rb": RUBY,
        "test/years_test.rb": `require "minitest/autorun"
require "years"

class YearsTest < Minitest::Test
  def test_every_fourth
    assert Years.leap?(2024)
    refute Years.leap?(2023)
  end

  def test_centuries
    refute Years.leap?(1900)
    assert Years.leap?(2000)
  end
end
`,
      },
    },
    test: "rake test",
    edit: RUBY_EDIT,
  },
  {
    name: "ruby-rspec",
    tools: "Ruby, RSpec",
    needs: "rspec --version",
    from: {
      files: {
        ".rspec": "--require spec_helper\n",
        "lib/years.rb": RUBY,
        "spec/spec_helper.rb": '$LOAD_PATH.unshift(File.expand_path("../lib", __dir__))\n',
        "spec/years_spec.rb": `require "years"

RSpec.describe Years do
  { 2024 => true, 2023 => false, 1900 => false, 2000 => true }.each do |year, leap|
    it "knows #{year}" do
      expect(described_class.leap?(year)).to be leap
    end
  end

  it "knows the year 0"
end
`,
      },
    },
    test: "rspec",
    edit: RUBY_EDIT,
  },
  {
    name: "java-maven",
    tools: "Java, JUnit 5 by Maven",
    needs: "mvn --version",
    from: {
      files: {
        ".gitignore": "target\n",
        // Whether Maven's repository can be reached is not what is tried here.
        ".mvn/maven.config": "--offline\n",
        "pom.xml": `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>org.example</groupId>
  <artifactId>years</artifactId>
  <version>1.0</version>
  <properties>
    <maven.compiler.release>17</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency>
      <groupId>org.junit.jupiter</groupId>
      <artifactId>junit-jupiter</artifactId>
      <version>5.11.3</version>
      <scope>test</scope>
    </dependency>
  </dependencies>
  <build>
    <plugins>
      <plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.1</version></plugin>
      <plugin><artifactId>maven-compiler-plugin</artifactId><version>3.14.1</version></plugin>
      <plugin><artifactId>maven-surefire-plugin</artifactId><version>3.2.5</version></plugin>
    </plugins>
  </build>
</project>
`,
        "src/main/java/years/Years.java": `package years;

public final class Years {
  public static boolean leap(int year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  }
}
`,
        "src/test/java/years/YearsTest.java": `package years;

import static org.junit.jupiter.api.Assertions.*;
import org.junit.jupiter.api.Test;

class YearsTest {
  @Test void everyFourth() { assertTrue(Years.leap(2024)); }
  @Test void notEveryCentury() { assertFalse(Years.leap(1900)); }
  @Test void everyFourthCentury() { assertTrue(Years.leap(2000)); }
}
`,
      },
    },
    test: "mvn --offline --quiet test",
    edit: edited("src/main/java/years/Years.java"),
    readers: ["junit"],
  },
  {
    name: "php-phpunit",
    tools: "PHP, PHPUnit",
    needs: "phpunit --version",
    from: {
      files: {
        "phpunit.xml":
          '<phpunit bootstrap="src/Years.php"><testsuites><testsuite name="all"><directory>tests</directory></testsuite></testsuites></phpunit>\n',
        "src/Years.php": `<?php
final class Years
{
    public static function leap(int $year): bool
    {
        return $year % 4 === 0 && ($year % 100 !== 0 || $year % 400 === 0);
    }
}
`,
        "tests/YearsTest.php": `<?php
use PHPUnit\\Framework\\TestCase;

final class YearsTest extends TestCase
{
    public function testEveryFourth(): void
    {
        $this->assertTrue(Years::leap(2024));
    }

    public function testNotEveryCentury(): void
    {
        $this->assertFalse(Years::leap(1900));
    }
}
`,
      },
    },
    test: "phpunit",
    edit: {
      file: "src/Years.php",
      right: "$year % 100 !== 0",
      bug: "$year % 100 === 0",
      wrong: "$year % 200 !== 0",
    },
    readers: ["junit"],
  },
  {
    name: "tcl-make",
    tools: "Tcl, tcltest behind make",
    needs: "echo 'package require tcltest' | tclsh && make --version",
    from: {
      files: {
        Makefile: "test:\n\ttclsh tests/all.tcl\n\n.PHONY: test\n",
        "years.tcl": `proc leap {year} {
  expr {$year % 4 == 0 && ($year % 100 != 0 || $year % 400 == 0)}
}
`,
        "tests/all.tcl": `package require tcltest
namespace import ::tcltest::*
source [file join [file dirname [info script]] .. years.tcl]

test leap-1 {every fourth} {leap 2024} 1
test leap-2 {not every century} {leap 1900} 0
test leap-3 {every fourth century} {leap 2000} 1

set failed $::tcltest::numTests(Failed)
cleanupTests
exit [expr {$failed > 0}]
`,
      },
    },
    test: "make test",
    edit: {
      file: "years.tcl",
      right: "$year % 100 != 0 || $year % 400 == 0",
      bug: "$year % 100 != 0 || $year % 900 == 0",
      wrong: "$year % 100 == 0 || $year % 400 == 0",
    },
    readers: ["exit-code"],
  },
  {
    name: "awk-make",
    tools: "awk, compared outputs behind make check",
    needs: "make --version && echo | awk '{ print }'",
    from: {
      files: {
        Makefile: `check:
	awk -f leap.awk tests/years.txt > actual.txt
	diff tests/expected.txt actual.txt

.PHONY: check
`,
        ".gitignore": "actual.txt\n",
        "leap.awk":
          '{ print $1, ($1 % 4 == 0 && ($1 % 100 != 0 || $1 % 400 == 0)) ? "leap" : "common" }\n',
        "tests/years.txt": "2024\n2023\n1900\n2000\n",
        "tests/expected.txt": "2024 leap\n2023 common\n1900 common\n2000 leap\n",
      },
    },
    test: "make check",
    edit: {
      file: "leap.awk",
      right: "$1 % 100 != 0 || $1 % 400 == 0",
      bug: "$1 % 100 != 0 || $1 % 900 == 0",
      wrong: "$1 % 100 == 0 || $1 % 400 == 0",
    },
    readers: ["exit-code"],
  },
  {
    name: "sed-script",
    tools: "sed, a shell script of tests",
    needs: "echo | sed p",
    from: {
      files: {
        "slug.sed": "s/[^a-z0-9]/-/g\ns/--*/-/g\n",
        "test.sh": `#!/bin/sh
failed=0
check() {
  got=$(printf '%s\\n' "$1" | sed -f slug.sed)
  if [ "$got" = "$2" ]; then echo "ok - $1"; else echo "FAILED - $1: $got"; failed=1; fi
}
check "a b" "a-b"
check "a  b" "a-b"
check "a, b & c" "a-b-c"
exit $failed
`,
      },
    },
    verify: ["./test.sh"],
    edit: { file: "slug.sed", right: "s/--*/-/g", bug: "s/--*/_/g", wrong: "s/--/-/g" },
    readers: ["exit-code"],
  },
  {
    name: "node-test",
    tools: "JavaScript, node --test",
    from: {
      files: {
        "package.json": '{ "type": "module", "scripts": { "test": "node --test" } }\n',
        "years.js": `export function leap(year) {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}
`,
        "test/years.test.js": `import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { leap } from "../years.js";

describe("leap", () => {
  it("is every fourth", () => assert.ok(leap(2024)));
  it("is not every century", () => assert.ok(!leap(1900)));
  it("is every fourth century", () => assert.ok(leap(2000)));
  it.skip("is before the calendar", () => assert.ok(leap(4)));
  it.todo("is far away");
});
`,
      },
    },
    edit: {
      file: "years.js",
      right: "year % 100 !== 0 || year % 400 === 0",
      bug: "year % 100 !== 0 || year % 900 === 0",
      wrong: "year % 100 === 0 || year % 400 === 0",
    },
  },
];

export const made: Group = {
  title: "Projects that are made here, one or two for each language",
  projects,
};
