import type { Language } from "../code/languages.ts";
import type { Statement } from "../code/outline.ts";

/** How the tests of a language look, in the spelling of `render`; `bare` is meant unless it says otherwise. */
interface Marks {
  /** The head of what only holds tests. */
  container: RegExp;
  /** A test; group 1 is its name, where the language gives it one outside a literal. */
  test: RegExp;
  import: RegExp;
  skip: RegExp;
  /** A skip that depends on where the tests run: honest in a new test. */
  conditional: RegExp;
  focus: RegExp;
  /** On `text`: replaces a part of the project, for everything in the file. */
  mock: RegExp;
  /** On `text`: replaces a single function or attribute. */
  stub: RegExp;
}

const NEVER = /(?!)/;
const JS_TEST =
  /^(?:(?:await|void|return|export|default) ?)*(?:(?:t|tap|ctx|context|Deno|QUnit|Bun)\.)?(?:it|test|specify|xit|fit|xtest|xspecify|step)(?!\.(?:describe|suite|before|after|use|extend|setTimeout|slow|info|configure|mock|expect|plan|end))\b(?:\.[\w$]+)*(?:[(<]|"")/;

const MARKS: Readonly<Record<Language["name"], Partial<Marks>>> = {
  javascript: {
    container:
      /^(?:(?:await|void) )?(?:(?:test|t|tap|QUnit)\.)?(?:[xf]?describe|[xf]?context|x?suite|module|group)\b(?:\.[\w$]+)*\(.*\{$/,
    test: JS_TEST,
    import:
      /^(?:import\b(?!\.)|export(?: type)?[{*].*\bfrom\b|(?:const|let|var)[ {[].*=(?:await import|require)\()/,
    skip: /\b(?:it|test|describe|suite|context|specify|step|module|tap|QUnit)(?:\.\w+)*\.(?:skip|todo|fixme|fails|failing|fail)\b|\bx(?:it|test|describe|context|specify|suite)\b|\bpending\(|\b(?:this|t|ctx|context|task)\.(?:skip|todo)\(|\.(?:skipIf|runIf)\(|,\{(?:[^{}]*,)?(?:skip|todo|fails)(?::(?!false)|[,}])|(?:^|[)};])skip\(/,
    conditional:
      /\.(?:skipIf|runIf)\(|[{,]skip:(?!true|"")|\b(?:test|it|describe)\.skip\((?!""|\(?\)?|true)/,
    focus:
      /\b(?:it|test|describe|suite|context|specify|step|module|tap|QUnit|Deno)(?:\.\w+)*\.only\b|\bf(?:it|describe|context)(?=[.(])|\b(?:ddescribe|iit)\(|[{,]only(?::(?!false)|[,}])/,
    mock: /\b(?:vi|vitest|jest)\.(?:mock|doMock|unstable_mockModule|setMock)\(|\bmock\.module\(|\btd\.replace(?:Esm)?\(|\b(?:proxyquire|rewire|esmock|quibble)\b[\w.]*\(|\bmockery\.register\w+\(|\brequire\.cache\[|\bModule\._(?:load|resolveFilename)=|\bregisterHooks\(/,
    stub: /\.spyOn\(.*\.mock(?:Return|Resolved|Rejected|Implementation)|\b(?:vi|jest|vitest)\.(?:stubGlobal|replaceProperty)\(|\b(?:sinon|sandbox)\.(?:stub|replace|fake)\w*\(|\bmock\.(?:method|getter|property)\(/,
  },
  python: {
    container: /\bclass \w+/,
    test: /\bdef (test\w*)\(/,
    import: /^(?:import|from) /,
    skip: /\bmark\.(?:skip|skipif|xfail)\b|\bpytest\.(?:skip|xfail|importorskip)\(|\bskip(?:Test|If|Unless)\(|\bSkipTest\b|\bexpectedFailure\b|\b__test__=False|@(?:unittest\.)?skip\b|^skip\(/,
    conditional: /\bskipif\(|\bskip(?:If|Unless)\(|\bimportorskip\(/,
    focus: /\bmark\.(?:only|focus)\b/,
    mock: /\bsys\.modules\[|\bsys\.path\.insert\(0,.*(?:mock|fake|stub)/,
    stub: /\bpatch(?:\.\w+)?\(|\bmonkeypatch\.(?:setattr|setitem|delattr)\(|\bmocker\.(?:patch|stub)|\bcreate_autospec\(|\bflexmock\(/,
  },
  go: {
    container: /^(?:var _=)?(?:Describe|Context|When)\(.*\{$/,
    test: /^func (?:\(\w+ ?\*?\w+\))?((?!TestMain\()(?:Test|Benchmark|Fuzz|Example)(?![a-z])\w*)\(|^func\(\w+ ?\*?\w+\)(Test\w*)\(|^\w+\.Run\(.*\bfunc\(.*\{$|^F?It\(/,
    import: /^(?:import\b|package )/,
    skip: /\b\w+\.Skip(?:f|Now)?\(|^«\/\/(?:go:build| ?\+build)|\b[PX](?:It|Describe|Context|When|Entry)\(|\bSkip\(/,
    conditional: /^«/,
    focus: /\bF(?:It|Describe|Context|When|Entry)\(/,
    mock: /\b(?:monkey|gomonkey|mpatch|supermonkey)\.\w+\(/,
    stub: NEVER,
  },
  rust: {
    container: /\bmod \w+\{$|^proptest!\{$/,
    test: /#\[(?:\w+::)*(?:test|rstest|test_case|wasm_bindgen_test|bench|quickcheck|proptest)\b.*\bfn (\w+)/,
    import: /^(?:pub )?use /,
    skip: /#!?\[ignore\b|#!?\[cfg_attr\([^\]]*\bignore\b|#!?\[cfg\((?!test\))/,
    conditional: /#\[cfg_attr\(|#\[cfg\((?!any\(\)|all\(test,any\(\)|not\(test\))/,
    mock: /#\[double\]|\bmock!\{/,
  },
  java: {
    container: /\b(?:class|interface|record|enum) \w+[^(]*\{$/,
    test: /@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property|Theory)\b.*?\b(\w+)\([^()]*\)[^()]*\{$|^public void (test\w*)\(\)/,
    import: /^(?:import|package) /,
    skip: /@(?:Disabled\w*|Ignore\w*|Enabled(?:If|On|For)\w*)\b|\bassum(?:e|ing)\w*\(|\bAssumptions?\.|\benabled=false/,
    conditional: /@(?:Enabled|Disabled)(?:If|On|For)\w*|\bassum(?:e|ing)\w*\((?!false|true)/,
    mock: /\bmockStatic\(|\bmockConstruction\(|@(?:MockBean|MockitoBean|SpyBean|PrepareForTest)\b/,
    stub: /@(?:Mock|Spy)\b|\bmock\(|\bspy\(|\.then(?:Return|Throw|Answer)\(/,
  },
  kotlin: {
    container:
      /\b(?:class|object|interface|trait) \w+.*\{$|^(?:x?describe|x?context|should|given|when|feature)\(.*\)\{$|^""(?: ?(?:should|when|must|can))?\{$/,
    test: /@(?:Test|ParameterizedTest|RepeatedTest|Property)\b.*?\b(?:fun|void|func|def)\b ?(`[^`]*`|""|\w+)?\(|\b(?:func|void) (test\w*)\(|^def""\(\)\{$|^(?:x?it|x?test|x?should|then|scenario)\(.*\{$|\b(?:should|must|can) ?"" ?in\{$|^"" ?in\{$/,
    import: /^(?:@testable )?(?:import|package) /,
    skip: /@(?:Disabled\w*|Ignore\w*|Enabled(?:If|On|For)\w*)\b|\bassum(?:e|ing)\w*\(|\bAssumptions?\.|\bx(?:it|test|should|describe|context)\b|\bXCTSkip|\.disabled\(|^cancel\(|^pending\b/,
    conditional:
      /@(?:Enabled|Disabled)(?:If|On|For)\w*|\bassum(?:e|ing)\w*\((?!false|true)|\.enabled\(if/,
    focus: /^f(?:it|describe|context)\(/,
    mock: /\bmockkStatic\(|\bmockkObject\(|\bmockkConstructor\(|@(?:MockBean|MockkBean)\b/,
    stub: /\bmockk\b|\bmock[<(]|\bspyk?\(/,
  },
  php: {
    container: /\bclass \w+[^(]*\{$|^describe\(.*\{$/,
    test: /(?:#\[[^\]]*\bTest\b[^\]]*\]|«[^»]*@test\b).*\bfunction (\w+)\(|\bfunction (test\w*)\(|^(?:it|test|todo)\(/,
    import: /^(?:<\?php )?(?:use|namespace|declare|require_once|require)\b/,
    skip: /\bmarkTest(?:Skipped|Incomplete)\(|->(?:skip|todo)\(|^todo\(|#\[Requires\w+|«[^»]*@requires|[dD]oesNotPerformAssertions/,
    conditional: /#\[Requires\w+|«[^»]*@requires|->skip\((?!\)|"")/,
    focus: /->only\(/,
    mock: NEVER,
    stub: /->(?:createMock|createStub|getMockBuilder|createPartialMock)\(|\bMockery::mock\(/,
  },
  ruby: {
    container:
      /^(?:RSpec\.)?[xf]?(?:describe|context|feature|shared_examples\w*|shared_context)\b|^(?:class|module) /,
    test: /^[xf]?(?:it|specify|example|scenario|test|its)\b(?=["' {(]|$)|^def (test_\w+)/,
    import: /^(?:require|require_relative|load)\b/,
    skip: /\bx(?:it|describe|context|specify|example|feature|scenario)\b|^(?:pending|skip)\b|(?<![.\w:])skip(?=[ ("}]|$)|:(?:skip|pending)\b|\b(?:skip|pending):/,
    conditional: / (?:if|unless) /,
    focus:
      /\bfilter_run(?!_when_matching)\w*|^(?:RSpec\.)?f(?:it|describe|context|specify|example)\b|\bfocus:true|(?<!when_matching ?\(?):focus\b|^focus\b/,
    mock: /\bstub_const\(|\b(?:class|instance|module)_eval\b|\bdefine_singleton_method\b|\bdefine_method\b|\ballow_any_instance_of\(/,
    stub: /\ballow\(|\.stubs?\(|\.stub_any_instance\(/,
  },
  csharp: {
    container: /^(?:.*\b)?(?:class|record|struct|namespace) [\w.]+[^(]*\{$/,
    test: /\[(?:[^\]]*\b)?(?:Fact|Theory|Test|TestCase|TestMethod|DataTestMethod|TestCaseSource|SkippableFact|Property)\b.*?\b(\w+)(?:<[^>]*>)?\([^()]*\)(?:\{$|=>)/,
    import: /^(?:global )?using (?!var\b)[\w.=]+$/,
    skip: /\[(?:[^\]]*,)?(?:Ignore|Explicit)\b|\bSkip\w*=|\bAssert\.(?:Ignore|Inconclusive|Skip)\w*\(|\bSkip\.If\w*\(/,
    conditional: /\bSkip\.If|\bSkip(?:When|Unless)=/,
    mock: NEVER,
    stub: /\bnew Mock<|\bSubstitute\.For<|\bA\.Fake</,
  },
  shell: {
    container: NEVER,
    test: /^@test|^(?:function )?(test_?\w+)\(\)\{$/,
    import: /^(?:load|source|\.) ?/,
    skip: /^(?:then |else )?skip\b|\|\|skip\b|&&skip\b/,
    conditional: /\|\|skip|&&skip|^then /,
  },
  c: {
    container: /^namespace\b.*\{$/,
    test: /^(?:TEST|TEST_F|TEST_P|TYPED_TEST|TEST_CASE|SCENARIO|BOOST_AUTO_TEST_CASE|SECTION)\(/,
    import: /^#include/,
    skip: /\bGTEST_SKIP\b|\bDISABLED_\w+|\[!?(?:hide|shouldfail|mayfail)\]|\bSKIP\(/,
    conditional: NEVER,
    mock: NEVER,
  },
  lines: {
    skip: /@(?:tag :?skip|skip|ignore|wip|moduletag :?skip)\b|\bpending\b|^xit\b/,
    focus: /@(?:tag :?focus|only|focus)\b/,
    import: /^(?:import|require|use|alias)\b/,
  },
};

const NONE: Marks = {
  container: NEVER,
  test: NEVER,
  import: NEVER,
  skip: NEVER,
  conditional: NEVER,
  focus: NEVER,
  mock: NEVER,
  stub: NEVER,
};

/** Longer statements are tables, in which no mark stands behind this. */
const LOOKED_AT = 4000;

export function has(statement: Statement, mark: keyof Marks, { name }: Language): boolean {
  const pattern = MARKS[name][mark] ?? NONE[mark];
  const text = mark === "mock" || mark === "stub" || name === "c" ? statement.text : statement.bare;
  return pattern.test(ends(text));
}

/** A test's own name; null for what is no test. */
export function testName(statement: Statement, language: Language): string | null {
  const pattern = MARKS[language.name].test ?? NEVER;
  const found = pattern.exec(ends(statement.bare));
  if (!found) return null;
  const named = found.slice(1).find((group) => group !== undefined && group !== '""');
  return named ?? firstArgument(statement, language);
}

/** The head and the tail of a text that is too long to look at whole. */
function ends(text: string): string {
  if (text.length <= LOOKED_AT) return text;
  return `${text.slice(0, LOOKED_AT / 2)} ${text.slice(-LOOKED_AT / 2)}`;
}

/** What stands first in the brackets that the statement opens last, or in no brackets at all. */
function firstArgument({ tokens, bare }: Statement, { name }: Language): string | null {
  let depth = 0;
  let opened = -1;
  tokens.forEach(({ kind, text }, at) => {
    if (kind !== "sign") return;
    if (/[([{]/.test(text)) {
      if (depth === 0 && text === "(") opened = at;
      depth += 1;
    } else if (/[)\]}]/.test(text)) depth -= 1;
  });
  const argument = tokens.slice(opened + 1).find(({ kind }) => kind !== "newline");
  if (name === "javascript") {
    const called = /=>|\bfunction\b/.test(ends(bare));
    if (argument?.kind === "string") return argument.text;
    return called ? bare : null;
  }
  return argument?.kind === "string" ? argument.text : (tokens.find(isString)?.text ?? bare);
}

function isString({ kind }: { kind: string }): boolean {
  return kind === "string";
}

/** Words of every language's assertions. */
const ASSERTION =
  /\b(?:assert\w*|expect\w*|should\w*|refute\w*|verify\w*|is_expected|must_\w+|wont_\w+|xctassert\w*|require[._]\w+|check_\w+|fail\w*|raises|throws|panic)\b|\bt\.(?:error|fatal|is|not|true|false|truthy|falsy|deepequal|like|snapshot|regex|pass|equals?|same|ok|match|rejects|resolves|strictsame)\w*\(|\b(?:strictequal|deepequal|notequal|deepstrictequal|ok)\(|^\[|^«/i;

export function isAssertion({ bare }: Statement): boolean {
  return ASSERTION.test(ends(bare));
}
