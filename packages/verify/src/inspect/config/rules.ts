import { languageOf } from "../code/languages.ts";
import { ini, json, lines, program, type Reader, toml, xml, yaml } from "./entries.ts";

/** A file that says how tests are run. */
export interface ConfigRule {
  read: Reader;
  /** Only settings whose path or text fit say something about tests; all where it is left out. */
  keep?: RegExp;
  /** Only when the test command starts one of these. */
  when?: RegExp;
}

const JS = String.raw`\.[cm]?[jt]sx?$`;
const TSC = /\b(?:tsc|vue-tsc|ts-node|ts-jest|attest|typecheck)\b/;
const JS_LINT = /\b(?:eslint|biome|oxlint|prettier|standard|xo|tslint|lint)\b/;

const STRICTNESS =
  /compilerOptions\.(?:strict\w*|no(?!Emit\b|Lib\b)\w+|exact\w+|skip\w+|check\w+|allow(?:Un|Js)\w*|alwaysStrict|useUnknown\w+|isolated\w+|paths|baseUrl|types|plugins)|^(?:exclude|include|files|extends|references|ts-node|vueCompilerOptions)\b/;

/** By path; the first that fits. */
const RULES: readonly [RegExp, Omit<ConfigRule, "read"> & { read?: Reader }][] = [
  // JavaScript
  [
    new RegExp(
      String.raw`(?:^|\/)(?:vitest|jest|playwright|karma|wdio|cypress|ava|stryker|tap|c8|nyc|web-test-runner|wtr|codecept|mocha|uvu|japa)[.-](?:config|conf|workspace|projects|setup|global-?setup|teardown|preset|environment)[^/]*${JS}`,
      "i",
    ),
    {},
  ],
  [
    new RegExp(
      String.raw`(?:^|\/)(?:(?:vitest|jest|mocha|global)[-.]?(?:setup|teardown)|setup[-.]?(?:tests?|vitest|jest|mocha|files|env)|testsetup|test-setup)[^/]*${JS}`,
      "i",
    ),
    {},
  ],
  [
    /(?:^|\/)(?:vitest|jest|playwright|karma|cypress|ava|tap)\.[\w.]*json$|(?:^|\/)(?:\.mocharc(?:\.jsonc?)?|\.nycrc(?:\.json)?|\.c8rc(?:\.json)?|\.jestrc|\.taprc\.json)$/,
    { read: json },
  ],
  [/(?:^|\/)(?:\.mocharc|\.nycrc|\.taprc|\.c8rc)(?:\.ya?ml)?$/, { read: yaml }],
  [/(?:^|\/)(?:\.mocharc|\.nycrc|nyc\.config|\.c8rc|karma\.conf|wdio\.conf)\.[cm]?js$/, {}],
  [
    new RegExp(String.raw`(?:^|\/)(?:vite|rolldown|rsbuild|astro|nuxt|svelte)\.config${JS}`),
    {
      keep: /^test\b|projects\[\]|alias|define\b|setupFiles|\b(?:transform|resolveId|load)\(|__vitest/,
    },
  ],
  [
    /(?:^|\/)(?:babel\.config\.(?:[cm]?[jt]s|json)|\.babelrc(?:\.\w+)?|\.swcrc)$/,
    { when: /\b(?:jest|babel|swc|mocha)\b/ },
  ],
  [/(?:^|\/)mocha\.opts$/, { read: lines }],
  [
    /(?:^|\/)\.npmrc$/,
    {
      read: ini,
      keep: /node[-_]options|script-shell|ignore-scripts|(?:^|\W)shell|prefix|globalconfig|init-|scripts-|pnpmfile/i,
    },
  ],
  [
    /(?:^|\/)\.yarnrc(?:\.yml)?$/,
    { read: yaml, keep: /yarnPath|yarn-path|plugins|enableScripts|packageExtensions|script-shell/ },
  ],
  [
    /(?:^|\/)pnpm-workspace\.yaml$/,
    {
      read: yaml,
      keep: /scriptShell|nodeOptions|shellEmulator|enablePrePostScripts|ignoreScripts|pnpmfile|packageExtensions/i,
    },
  ],
  [/(?:^|\/)bunfig\.toml$/, { read: toml, keep: /^(?:test|preload|run|define|loader)\b/ }],
  [
    /(?:^|\/)deno\.jsonc?$/,
    { read: json, keep: /^(?:test|imports|importMap|scopes|patch|links)\b/ },
  ],
  [/(?:^|\/)(?:tsconfig|jsconfig)[^/]*\.json$/, { read: json, when: TSC, keep: STRICTNESS }],
  [
    /(?:^|\/)(?:\.?eslint(?:rc|\.config|ignore)|biome\.jsonc?|\.?oxlint|\.oxlintrc|\.prettier(?:rc|ignore)|prettier\.config|tslint\.json)[^/]*$/,
    { when: JS_LINT },
  ],
  [
    /(?:^|\/)(?:turbo|nx|lerna|project|wireit|rush)\.json$/,
    {
      read: json,
      when: /\b(?:turbo|nx|lerna|rush)\b/,
      keep: /test|verify|check|tasks|pipeline|targetDefaults/,
    },
  ],
  // Python
  [/(?:^|\/)(?:\.?pytest\.(?:ini|toml)|\.coveragerc)$/, { read: ini }],
  [
    /(?:^|\/)setup\.cfg$/,
    {
      read: ini,
      keep: /^(?:tool:pytest|coverage:|aliases|test|tox:|options\.entry_points.*pytest11|flake8|mypy)/,
    },
  ],
  [/(?:^|\/)tox\.ini$/, { read: ini, keep: /^(?:pytest|coverage|testenv|tox)\b/ }],
  [
    /(?:^|\/)pyproject\.toml$/,
    {
      read: toml,
      keep: /^tool\.(?:pytest|coverage|tox|nose2|unittest)|pytest11|^tool\.hatch\.envs\.(?:hatch-)?test/,
    },
  ],
  [/(?:^|\/)setup\.py$/, { keep: /pytest11|\bcmdclass\b|class \w*[tT]est\w*/ }],
  [/(?:^|\/)(?:sitecustomize|usercustomize)\.py$|\.pth$/, {}],
  [/(?:^|\/)noxfile\.py$/, { when: /\bnox\b/ }],
  [
    /(?:^|\/)(?:mypy\.ini|\.mypy\.ini|\.flake8|\.pylintrc|pylintrc|\.?ruff\.toml|pyrightconfig\.json)$/,
    { when: /\b(?:mypy|flake8|pylint|ruff|pyright|lint|typecheck)\b/ },
  ],
  // PHP and Ruby
  [/(?:^|\/)phpunit(?:\.\w+)*\.xml(?:\.dist)?$|(?:^|\/)phpunit\.dist\.xml$/, { read: xml }],
  [/(?:^|\/)(?:tests\/Pest\.php|pest\.php|tests\/bootstrap\.php|codeception\.\w+)$/, {}],
  [/(?:^|\/)(?:phpstan|psalm)[^/]*$/, { when: /\b(?:phpstan|psalm)\b/ }],
  [/(?:^|\/)\.rspec(?:-local)?$/, { read: lines }],
  [
    /(?:^|\/)(?:spec\/(?:spec|rails)_helper|test\/test_helper|\.simplecov|\.simplecov\.rb|spec\/support\/coverage)(?:\.rb)?$/,
    {},
  ],
  [/(?:^|\/)\.rubocop\.yml$/, { read: yaml, when: /\brubocop\b/ }],
  // Rust and Go
  [
    /(?:^|\/)Cargo\.toml$/,
    {
      read: toml,
      keep: /^(?:test|bench)\[\]|^lib\.(?:test|doctest|harness|path|bench)|^(?:bin|example)\[\]\.(?:test|harness)|^package\.auto\w+|^profile\.test|^profile\.dev\.(?:overflow-checks|debug-assertions|panic)|^workspace\.(?:members|default-members|exclude)/,
    },
  ],
  [
    /(?:^|\/)(?:\.cargo\/config(?:\.toml)?|\.config\/nextest\.toml|tarpaulin\.toml|clippy\.toml)$/,
    { read: toml },
  ],
  [/(?:^|\/)go\.work$/, { read: lines, keep: /^(?:use )?\.{1,2}\// }],
  [/(?:^|\/)\.golangci\.ya?ml$/, { read: yaml, when: /\bgolangci/ }],
  // The JVM
  [
    /(?:^|\/)pom\.xml$/,
    {
      read: xml,
      keep: /plugin<[^>]*(?:surefire|failsafe|jacoco|pitest|enforcer|antrun|exec-maven|invoker|groovy|gmavenplus)[^>]*>|(?:skip|test)\w*(?:Tests?|IT|\.skip|FailureIgnore)|skipTests|skipITs|maven\.test|testFailureIgnore|test(?:Source|Output)Directory|testResources|\.modules\.|argLine|jacoco|surefire|failsafe/i,
    },
  ],
  [
    /(?:^|\/)(?:build|settings)\.gradle(?:\.kts)?$|(?:^|\/)buildSrc\/.*\.(?:gradle|kts?|groovy)$/,
    {
      keep: /(?:^|\W)(?:test(?!Implementation|RuntimeOnly|CompileOnly|Api|AnnotationProcessor|Fixtures)\w*|\w*Test)\b|jacoco|kover|ignoreFailures|useJUnit|excludeT|includeT|filter|startParameter|taskGraph|sourceSets|onlyIf|^include\b|^ *exclude\b|violationRules|minimum/,
    },
  ],
  [
    /(?:^|\/)gradle\.properties$/,
    { read: ini, keep: /test|skip|exclude|ignoreFail|systemProp|jacoco|kover/i },
  ],
  [/(?:^|\/)gradle\/wrapper\/gradle-wrapper\.properties$/, { read: ini, keep: /distribution/ }],
  [/(?:^|\/)src\/\w*[tT]est\/resources\/META-INF\//, { read: lines }],
  [
    /(?:^|\/)(?:junit-platform\.properties|testng[^/]*\.(?:xml|ya?ml)|\.mvn\/[^/]+)$/,
    { read: lines },
  ],
  // .NET
  [/\.runsettings$/, { read: xml }],
  [/(?:^|\/)xunit\.runner\.json$/, { read: json }],
  [
    /\.(?:cs|fs|vb)proj$|(?:^|\/)Directory\.(?:Build|Packages)\.(?:props|targets)$/,
    {
      read: xml,
      keep: /Compile\.@(?:Remove|Exclude)|IsTestProject|VSTest|RunSettings|TestingPlatform|Target\b|DefineConstants|Threshold|Coverlet|CollectCoverage|EnableDefaultCompileItems|ExcludeFromCodeCoverage|Reference\.@Alias/,
    },
  ],
  [/\.slnx?$/, { read: lines, keep: /^(?:Project\(|<Project)/ }],
  // Others
  [/(?:^|\/)\.env\.(?:test|testing|ci)(?:\.local)?$/, { read: lines }],
  [/(?:^|\/)(?:codecov|\.codecov)\.ya?ml$/, { read: yaml, when: /\bcodecov\b/ }],
];

/** Undefined for what is no configuration of tests; `commands` is everything that the test command starts. */
export function configRule(path: string, commands: string): ConfigRule | undefined {
  const rule = RULES.find(([pattern]) => pattern.test(path))?.[1];
  if (!rule || (rule.when && !rule.when.test(commands))) return undefined;
  return { ...rule, read: rule.read ?? readerOf(path) };
}

function readerOf(path: string): Reader {
  if (/\.jsonc?$|rc$/.test(path)) return (text) => json(text) ?? yaml(text);
  if (/\.ya?ml$/.test(path)) return yaml;
  if (/\.toml$/.test(path)) return toml;
  if (/\.(?:ini|cfg)$/.test(path)) return ini;
  return languageOf(path) ? program(path) : lines;
}
