/** Examples of Go: functions that are tests by the output that a comment at their end tells. */

const EXAMPLE = /^func (Example\w*)\(\) \{\n([\s\S]*?)^\}/gm;
const OUTPUT = /\/\/[ \t]*(unordered )?output:([^\n]*(?:\n[ \t]*\/\/[^\n]*)*)\s*$/i;

interface Example {
  name: string;
  /** What it has to print. */
  output: string;
  /** Whether its lines may come in any order. */
  isUnordered: boolean;
}

/** Those of a file that are run: others are only compiled. */
export function examplesIn(text: string): Example[] {
  return [...text.matchAll(EXAMPLE)].flatMap(([, name = "", body = ""]) => {
    const [found, unordered, output = ""] = OUTPUT.exec(body) ?? [];
    if (found === undefined) return [];
    const lines = output.split("\n").map((line) => line.replace(/^\s*\/\/ ?/, "").trimEnd());
    return { name, output: lines.join("\n").trim(), isUnordered: unordered !== undefined };
  });
}

/** A function of Go that makes a test of an example; needs `io`, `os`, `sort`, `strings` and `testing`. */
export const EXAMPLE_LIBRARY = `
func Example(run func(), output string, unordered bool) func(*testing.T) {
	return func(t *testing.T) {
		read, write, err := os.Pipe()
		if err != nil {
			panic(needsRunner{})
		}
		printed := make(chan string, 1)
		go func() {
			all, _ := io.ReadAll(read)
			printed <- string(all)
		}()
		func() {
			defer func(before *os.File) {
				os.Stdout = before
				write.Close()
			}(os.Stdout)
			os.Stdout = write
			run()
		}()
		if linesOf(<-printed, unordered) != linesOf(output, unordered) {
			t.Fail()
		}
	}
}

func linesOf(text string, unordered bool) string {
	lines := strings.Split(strings.TrimSpace(text), "\\n")
	if unordered {
		sort.Strings(lines)
	}
	return strings.Join(lines, "\\n")
}
`;
