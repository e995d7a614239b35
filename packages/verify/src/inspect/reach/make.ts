/** A rule of a Makefile or justfile. */
interface Rule {
  needs: string[];
  recipe: string[];
}

/** What a Makefile or justfile does for the targets it is called with; the first target where none is named. */
export function linesFor(
  text: string,
  targets: readonly string[],
): { value: string; line: number }[] {
  const rules = new Map<string, Rule & { lines: number[] }>();
  const always: number[] = [];
  const source = text.split(/\r\n?|\n/);
  let open: (Rule & { lines: number[] })[] = [];
  let first: string | undefined;
  source.forEach((line, index) => {
    const head = /^([^\s:=#][^:=#]*?)\s*::?(?!=)\s*(.*)$/.exec(line);
    if (/^\s*(?:#|$)/.test(line)) return;
    if (/^[\t ]/.test(line) && open.length > 0) {
      for (const rule of open) {
        rule.recipe.push(line.trim());
        rule.lines.push(index);
      }
    } else if (head && !/^\.(?!PHONY|DEFAULT)[A-Z]/.test(line)) {
      const needs = (head[2] ?? "").split(/[\s;()]+/).filter(Boolean);
      open = (head[1] ?? "").split(/\s+/).map((name) => {
        const rule = rules.get(name) ?? { needs: [], recipe: [], lines: [] };
        rule.needs.push(...needs);
        rule.lines.push(index);
        rules.set(name, rule);
        if (!name.startsWith(".")) first ??= name;
        return rule;
      });
      if (/^\.PHONY/.test(line)) open = [];
    } else {
      open = [];
      always.push(index);
    }
  });
  const kept = new Set(always);
  const waiting = targets.length > 0 ? [...targets] : [first ?? ""];
  const seen = new Set<string>();
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const rule = rules.get(name);
    if (!rule || seen.has(name)) continue;
    seen.add(name);
    for (const line of rule.lines) kept.add(line);
    waiting.push(...rule.needs, ...rule.recipe.flatMap(calledTargets));
  }
  return [...kept]
    .sort((a, b) => a - b)
    .map((index) => ({ value: (source[index] ?? "").trim(), line: index + 1 }));
}

/** Targets that a line of a recipe calls: `$(MAKE) build`, `just build`. */
function calledTargets(line: string): string[] {
  const call = /(?:\$[({]MAKE[)}]|\bmake|\bjust)\s+(.*)$/.exec(line)?.[1];
  return (
    call?.split(/\s+/).filter((word) => /^[\w./-]+$/.test(word) && !word.startsWith("-")) ?? []
  );
}
