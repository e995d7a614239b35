import type { Language } from "../code/languages.ts";
import type { Statement } from "../code/outline.ts";
import { CHANGES_FILES } from "../source/detection.ts";

/** Leaves the code that stands around it, in any language. */
const JUMP =
  /(?:^|[;){:, ])(?:return|break|continue|throw|raise|goto|next|redo|exit)\b(?![:=(.]?=)/;

/** Decides whether or how often the code inside it runs. */
const CONTROL =
  /^(?:(?:async|await|else|default|pub|static|\}) ?)*(?:else|elif|elsif|if|for|foreach|while|do|switch|select|try|catch|except|finally|rescue|ensure|begin|unless|until|case|when|match|loop|repeat|guard|defer)\b/;
const TRY =
  /^(?:try|catch|except|rescue|finally|ensure|begin)\b|\brescue\b|\bcatch_unwind\b|^recover\(/;

/** Ends the process, or sets what it ends with. */
const EXIT =
  /\bprocess\.(?:exit|exitCode|reallyExit|kill\(process\.pid|kill\(0)\b|\bos\._exit\(|\bsys\.exit\(|\bpytest\.exit\(|\bos\.(?:Exit\(|kill\(os\.getpid)|\bprocess::(?:exit|abort)\(|\bSystem\.exit\(|\bexitProcess\(|\bRuntime\.\w+\(?\)?\.halt\(|\bEnvironment\.(?:Exit|FailFast)\(|\b(?:exit!|at_exit|atexit\.register|register_shutdown_function)\b|(?:^|[;){ ])(?:exit|quit|die|_exit|abort)(?:\(|$)|\bDeno\.exit\(|\bBun\.exit\(/;

const AT_EXIT = /\bprocess\.(?:on|once)\("(?:exit|beforeExit|uncaughtException)"/;

const PYTHON_ASSERTS =
  /\bdef assert(?:Equals?|NotEqual|True|False|Is|IsNot|IsNone|IsNotNone|In|NotIn|Raises\w*|Almost\w*|Greater\w*|Less\w*|Regex|Dict\w*|List\w*|Count\w*|Sequence\w*)\(/;

/** Puts something else in the place of what tests are written with. */
const OVERRIDE: readonly RegExp[] = [
  /\b(?:globalThis|global|window)(?:\.|\[")(?:expect|assert|it|test|describe|suite|beforeEach|afterEach|vi|jest)\b"?\]?=(?!=)/,
  /\bObject\.(?:defineProperty|assign)\((?:assert|expect)\b|\bObject\.defineProperty\((?:globalThis|global|window),"(?:expect|assert|it|test|describe|suite|vi|jest)"|\bObject\.defineProperty\(process,"(?:exit|exitCode|env)"|\bObject\.assign\((?:globalThis|global|window),\{[^}]*\b(?:expect|assert|it|test|describe)\b/,
  /\bflag\.Set\("test\.|\bos\.Args=/,
  /\b(?:currentTest\.\w+|task\.result(?:\.\w+)?|report\.outcome|testResult\.\w+)=(?![=>])/,
  /^(?:\w+\.)?(?:assert|expect|chai|should)(?:\.\w+)+=(?![=>])/,
  /\bexpect\.extend\(\{.*\bto(?:Be|Equal|StrictEqual|Throw|Match|Contain|Have\w+)\b[(:]/,
  /^(?:export |async )*(?:function|class) (?:expect|assert|it|test|describe)\b/,
  /^(?:export )?(?:const|let|var) (?:expect|assert|it|test|describe)(?::[^=]*)?=(?!.*\b(?:require|chai|extend|base\w*)\b)/,
  /\b(?:unittest\.)?TestCase\.\w+=(?!=)|\bsetattr\((?:unittest|TestCase|pytest|builtins|assert)|\b(?:unittest|pytest|builtins|testing|doctest)(?:\.\w+)+=(?!=)/,
  /^(?:class|module) (?:RSpec|Minitest|Test::Unit)\b/,
  /^(?:async )?def (?:expect|assert_equal|assert|refute)(?:\(|$)/,
  /\bmacro_rules!(?:assert|assert_eq|assert_ne|panic)\b/,
  /^#define (?:EXPECT|ASSERT|REQUIRE|CHECK)/,
  /\bexpect\.(?:assertions|hasAssertions)=|\bAssertion\.prototype\b|\bchai\.config\b/,
];

export function jumps({ bare }: Statement): boolean {
  return JUMP.test(bare.slice(0, 2000));
}

export function controls({ bare }: Statement): boolean {
  return CONTROL.test(bare);
}

export function tries({ bare }: Statement): boolean {
  return TRY.test(bare.slice(0, 2000));
}

export function exits({ bare, text }: Statement): boolean {
  return EXIT.test(bare.slice(0, 4000)) || AT_EXIT.test(text.slice(0, 200));
}

export function overrides({ text }: Statement, { name }: Language): boolean {
  const looked = text.slice(0, 4000);
  if (CHANGES_FILES.test(looked)) return true;
  if (name === "python" && PYTHON_ASSERTS.test(looked)) return true;
  return OVERRIDE.some((pattern) => pattern.test(looked));
}

/** Runs a test again when it fails. */
export function retries({ bare }: Statement): boolean {
  return /\b(?:retry|retryTimes|retries|flaky|reruns|RetryingTest|FlakyTest|rerun|retry_test)\b/i.test(
    bare.slice(0, 4000),
  );
}

/** The name that an assignment changes; undefined for a declaration of the language's own, and what is none. */
export function assigned({ bare }: Statement, { name }: Language): string | undefined {
  // Elsewhere a second declaration of a name hides the first.
  if (/^(?:const|let|var|val|final|auto)\b/.test(bare) && name !== "rust") return undefined;
  const found =
    /^(?:self\.|this\.|\$this->|@|let (?:mut )?)?(\$?[A-Za-z_]\w*)(?:[\w.[\]"'>-]*)(?::?=(?![=>~])|[+*|&-]=)/.exec(
      bare.slice(0, 500),
    );
  return found?.[1] ?? /^Object\.assign\((\w+)/.exec(bare)?.[1];
}
