import type { Statement } from "../code/outline.ts";
import type { Part } from "./test-file.ts";

/** Longer statements are tables. */
const LOOKED_AT = 4000;

/** Every word of these parts. */
export function wordsOf(parts: readonly Part[]): Set<string> {
  const words = new Set<string>();
  for (const { statement } of parts) {
    for (const word of statement.bare.slice(0, LOOKED_AT).match(/\$?[A-Za-z_][\w$]*/g) ?? []) {
      words.add(word);
    }
  }
  return words;
}

/** Names that these parts call, or take something of: not those of a member, and no key. */
export function usedNames(parts: readonly Part[]): Set<string> {
  const names = new Set<string>();
  for (const { statement } of parts) {
    const uses = statement.bare
      .slice(0, LOOKED_AT)
      .matchAll(/(?<![\w$.>])([A-Za-z_$][\w$]*)(?=\(|\.|::|!\()|\bnew (\w+)/g);
    for (const [, name, made] of uses) names.add(name ?? made ?? "");
  }
  return names;
}

/** Names that a statement gives a meaning. */
export function declaredNames({ bare }: Statement): string[] {
  const head = bare.slice(0, 500);
  const one =
    /\b(?:function|def|class|module|struct|func|fn|fun|object|macro_rules!)\*? ?(?:self\.)?(\w+)|\b(?:const|let|var|val)(?: mut)? (\w+)/.exec(
      head,
    );
  const several = /^(?:export )?(?:const|let|var) ?[{[]([^={}[\]]*)[}\]]=/.exec(head)?.[1];
  const plain = /^([A-Za-z_]\w*)(?:,[A-Za-z_]\w*)*:?=(?![=>~])/.exec(head)?.[0];
  const imported = /^(?:from [\w.]+ )?import ?\(?([\w, .]+)\)?$/.exec(head)?.[1];
  return [
    one?.[1] ?? one?.[2] ?? "",
    ...(several?.split(",").map((name) => name.split(":").at(-1) ?? "") ?? []),
    ...(plain?.replace(/:?=$/, "").split(",") ?? []),
    ...(imported?.split(",").map((name) => name.split(/ as /).at(-1)?.trim() ?? "") ?? []),
  ].filter((name) => /^\w{2,}$/.test(name));
}
