/**
 * The tests that an agent says a cause explains, as the loop spells them: by their ids, or by a name that only one of
 * the failing tests has. Undefined when it names none of them.
 */
export function explainedTests(claimed: unknown, failing: readonly string[]): string[] | undefined {
  const names: unknown[] = Array.isArray(claimed) ? claimed : [claimed];
  const found = names.flatMap((name) =>
    typeof name === "string" ? testsNamed(name, failing) : [],
  );
  return found.length === 0 ? undefined : [...new Set(found)];
}

function testsNamed(name: string, failing: readonly string[]): string[] {
  const wanted = normal(name);
  if (wanted === "") return [];
  const exact = failing.filter((id) => normal(id) === wanted);
  if (exact.length > 0) return exact;
  const named = failing.filter((id) => normal(id).endsWith(` > ${wanted}`));
  return named.length === 1 ? named : [];
}

function normal(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().toLowerCase();
}
