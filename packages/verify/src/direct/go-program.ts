import { EXAMPLE_LIBRARY, examplesIn } from "./go-examples.ts";

/** Go sources of ours that make tests parts of ordinary programs. `word` begins every name that they bring. */

/** A test function: its name, and the type of its parameter as the file calls it. */
const TEST = /^func (Test(?![a-z])(\w*))\((?:\w+\s+)?\*((?:\w+\.)?T)\)/gm;

/**
 * A file of tests as an ordinary source, whose tests are added to those of `program`. Their names in a stack say nothing of
 * tests, and subtests are called as they are.
 */
export function ordinarySource(text: string, word: string, program: string): string {
  const tests = [...text.matchAll(TEST)];
  const renamed = text
    .replaceAll(TEST, (found, name: string, rest: string) =>
      found.replace(name, `${word}${rest || "0"}`),
    )
    .replaceAll(/(?<![\w.])t\.Run\(/g, `to${word}Run(t, `)
    .replaceAll(/(?<![\w.])t\.Parallel\(\)/g, `to${word}Parallel(t)`);
  const added = tests.map(
    ([, name = "", rest = "", type = ""]) =>
      `\nfunc ${name}(t *${type}) { ${word}${rest || "0"}(t) }\nfunc init() { to${word}Add("${program}", "${name}", ${word}${rest || "0"}) }\n`,
  );
  const examples = examplesIn(text);
  for (const { name, output, isUnordered } of examples) {
    const run = `${word}${name.replace("Example", "Shown")}`;
    const test = `to${word}Example(${run}, ${JSON.stringify(output)}, ${isUnordered})`;
    added.push(`\nfunc init() { to${word}Add("${program}", "${name}", ${test}) }\n`);
  }
  const names = new Set(examples.map(({ name }) => name));
  const whole = renamed.replaceAll(/^func Example(\w*)(?=\(\))/gm, (found, rest: string) =>
    names.has(`Example${rest}`) ? `func ${word}Shown${rest}` : found,
  );
  return `${whole}\n${added.join("")}`;
}

/** What such sources call, and the program's `main` where it is to be in this package. */
export function goImports(
  name: string,
  { word, library, program }: { word: string; library: string; program: string | null },
): string {
  const main = program === null ? "" : `\nfunc main() { ${word}.Start("${program}") }\n`;
  return `package ${name}

import ${word} "${library}"

var to${word}Add, to${word}Run, to${word}Parallel = ${word}.Add, ${word}.Run, ${word}.Parallel
var to${word}Example = ${word}.Example
${main}`;
}

/** The program of a package that others can import. */
export function goMain(path: string, { library, program }: Record<"library" | "program", string>) {
  return `package main

import (
	_ "${path}"
	tests "${library}"
)

func main() { tests.Start("${program}") }
`;
}

/**
 * Calls each test, some milliseconds after the start, in a goroutine of its own with a `testing.T` that no runner made. What panics in `testing` itself for want
 * of one is called once more by its runner, with no flag of a test run left to look up.
 */
export function goLibrary(
  name: string,
  { token, delay }: { token: string; delay: number },
): string {
  return `package ${name}

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"sort"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

type test struct {
	name string
	run  func(*testing.T)
}

type needsRunner struct{}

var (
	programs    = map[string][]test{}
	underRunner = false
	out         = os.Stdout
	failing     = regexp.MustCompile("[.](Error|Fatal)f?$|[.]Fail(Now)?$")
)

func Add(program, name string, run func(*testing.T)) {
	programs[program] = append(programs[program], test{name, run})
}

func Run(t *testing.T, name string, run func(*testing.T)) bool {
	if underRunner {
		return t.Run(name, run)
	}
	sub, alone := call(t.Name()+"/"+strings.ReplaceAll(name, " ", "_"), run)
	if !alone {
		panic(needsRunner{})
	}
	if sub.Failed() {
		t.Fail()
	}
	return !sub.Failed()
}

func Parallel(t *testing.T) {
	if underRunner {
		t.Parallel()
	}
}

func Start(program string) {
	tests := programs[program]
	// A test has started its own program again.
	if len(os.Args) > 1 {
		underRunner = true
		testing.Main(regexp.MatchString, internal(tests), nil, nil)
	}
	time.Sleep(${delay} * time.Millisecond)
	var rest []test
	for _, one := range tests {
		if t, alone := call(one.name, one.run); alone {
			say(t, one.name)
		} else {
			rest = append(rest, one)
		}
	}
	if len(rest) > 0 {
		runRest(rest)
	}
	end()
}

${EXAMPLE_LIBRARY.trim()}

func say(t *testing.T, name string) {
	word := "passed"
	if t.Failed() {
		word = "failed"
	} else if t.Skipped() {
		word = "skipped"
	}
	fmt.Fprintf(out, "\\n${token} %s %s\\n", word, name)
}

func end() { fmt.Fprintf(out, "\\n${token} end\\n") }

func call(name string, run func(*testing.T)) (t *testing.T, alone bool) {
	t, alone = &testing.T{}, true
	if place := field(t, "name", reflect.TypeOf("")); place != nil {
		*(*string)(place) = name
	}
	ctx, cancel := context.WithCancel(context.Background())
	if place := field(t, "ctx", reflect.TypeOf(&ctx).Elem()); place != nil {
		*(*context.Context)(place) = ctx
	}
	guarded(t, &alone, func() { run(t) })
	cancel()
	place := field(t, "cleanups", reflect.TypeOf([]func(){}))
	for place != nil && len(*(*[]func())(place)) > 0 {
		cleanups := (*[]func())(place)
		last := len(*cleanups) - 1
		cleanup := (*cleanups)[last]
		*cleanups = (*cleanups)[:last]
		guarded(t, &alone, cleanup)
	}
	return t, alone
}

func field(t *testing.T, name string, of reflect.Type) unsafe.Pointer {
	found := reflect.ValueOf(t).Elem().FieldByName(name)
	if !found.IsValid() || found.Type() != of {
		return nil
	}
	return unsafe.Pointer(found.UnsafeAddr())
}

func guarded(t *testing.T, alone *bool, run func()) {
	done := make(chan bool)
	go func() {
		defer close(done)
		defer func() {
			reason := recover()
			if reason == nil {
				return
			}
			_, needs := reason.(needsRunner)
			if began := beganInTesting(); needs || began != "" && !failing.MatchString(began) {
				*alone = false
				return
			}
			fmt.Fprintln(os.Stderr, reason)
			t.Fail()
		}()
		run()
	}()
	<-done
}

// The function of testing in which a panic began, as the test called it.
func beganInTesting() string {
	places := make([]uintptr, 100)
	frames := runtime.CallersFrames(places[:runtime.Callers(0, places)])
	panicking, began := false, ""
	for {
		frame, more := frames.Next()
		switch {
		case frame.Function == "runtime.gopanic":
			panicking = true
		case !panicking || began == "" && isBelow(frame.Function):
		case strings.HasPrefix(frame.Function, "testing."):
			began = frame.Function
		default:
			return began
		}
		if !more {
			return began
		}
	}
}

func isBelow(function string) bool {
	for _, name := range []string{"runtime.", "sync.", "sync/", "internal/"} {
		if strings.HasPrefix(function, name) {
			return true
		}
	}
	return false
}

func runRest(rest []test) {
	testing.Init()
	flag.CommandLine = flag.NewFlagSet(os.Args[0], flag.ContinueOnError)
	flag.CommandLine.Parse(nil)
	underRunner = true
	left := int32(len(rest))
	var wrapped []test
	for _, one := range rest {
		one := one
		wrapped = append(wrapped, test{one.name, func(t *testing.T) {
			t.Cleanup(func() {
				say(t, one.name)
				if atomic.AddInt32(&left, -1) == 0 {
					end()
				}
			})
			defer func() {
				if reason := recover(); reason != nil {
					t.Error(reason)
				}
			}()
			one.run(t)
		}})
	}
	testing.Main(func(_, _ string) (bool, error) { return true, nil }, internal(wrapped), nil, nil)
}

func internal(tests []test) []testing.InternalTest {
	var all []testing.InternalTest
	for _, one := range tests {
		all = append(all, testing.InternalTest{Name: one.name, F: one.run})
	}
	return all
}
`;
}
