import type { Statement } from "../code/outline.ts";

/** The head of what compares two values, in any language. */
const EQUALITY =
  /\bdef (?:__eq__|==|eql\?|equal\?)(?:\(|$| )|\bdef==|\bfn eq\(|\b(?:boolean|bool) (?:equals|Equals|operator==)\(|\bfun equals\(|\bEquals\(object|\bfunc\((?:\w+ ?)?\*?\w+\)(?:Equal|Equals)\(|\bstatic func==\(|^(?:equals?|isEqual)\(\w*\)\{$/;
const ALWAYS = /^(?:return )?(?:true|True)$/;
/** The same on one line. */
const ONE_LINE = /(?:=>|=|\)->bool\{)(?:true|True)$/;

/** Statements that say that anything equals a value: then every comparison in a test holds. */
export function alwaysEqual(statements: readonly Statement[]): Statement[] {
  return statements.filter((head, at) => {
    if (!EQUALITY.test(head.bare.slice(0, 500))) return false;
    const body = statements.filter((one) => one.parent === at);
    if (body.length === 0) return ONE_LINE.test(head.bare);
    return body.length === 1 && ALWAYS.test(body[0]?.bare ?? "");
  });
}
