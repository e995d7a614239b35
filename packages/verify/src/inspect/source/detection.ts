/** Writes or deletes tests, sources or packages of the project while it runs. */
export const CHANGES_FILES =
  /\b(?:writeFile\w*|appendFile\w*|copyFile\w*|cp(?:Sync)?|rm(?:Sync|tree)?|unlink\w*|rename\w*|remove|truncate\w*|symlink\w*|write_text|file_put_contents|WriteFile|RemoveAll|Remove)\((?:new URL\(|Path\()?["'`](?:\.{1,2}\/)*(?:(?:src|lib|node_modules|__tests__|tests?|spec)\/[^"'`]*\.[a-z]+|[^"'`]*(?:\.(?:test|spec)\.\w+|_test\.\w+))["'`]/;

/** Code of the project that asks whether it is being tested, or touches the verdict; on the text of a statement. */
export const DETECTION: readonly RegExp[] = [
  // Asks for the runner
  /\b(?:VITEST(?:_\w+)?|JEST_WORKER_ID|JEST_JASMINE|MOCHA_WORKER_ID|NODE_TEST_CONTEXT|PLAYWRIGHT_TEST\w*|STRYKER_\w+|BUN_TEST|DENO_TESTING|NODE_V8_COVERAGE)\b/,
  /\bNODE_ENV\b"?\]?\)?\s*[!=]==?"test"|"test"[!=]==?[^;]{0,40}\bNODE_ENV\b|\b(?:RAILS_ENV|RACK_ENV|APP_ENV|DJANGO_ENV|FLASK_ENV|MIX_ENV|ENVIRONMENT)\b[^;]{0,20}==+"test(?:ing)?"|\bRails\.env\.test\?/,
  /\btypeof (?:jest|vi|vitest|describe|expect|beforeEach|mocha|jasmine)\b|\b(?:globalThis|global|window)(?:\.|\[")(?:jest|vi|describe|expect|beforeEach|mocha|jasmine|__vitest\w*|__jest\w*|__coverage__)\b|"(?:jest|describe|__vitest_worker__|__jest_\w+|__coverage__)"in (?:globalThis|global|window)/,
  /\bprocess\.argv\b[^;]{0,80}(?:vitest|jest|mocha|--test\b)|\bexecArgv\b[^;]{0,60}test|\bprocess\.env\.npm_(?:lifecycle_event|lifecycle_script|command)\b|\bprocess\.env(?:\.|\[")CI\b|\brequire\.cache\b[^;]{0,60}(?:jest|mocha|vitest|test)/,
  /\bimport\.meta\.vitest\b|\bimport\.meta\.env\.(?:MODE\b[^;]{0,10}"test"|TEST\b|VITEST)|\b(?:require\.main|mainModule|process\.title)\b[^;]{0,80}(?:jest|mocha|vitest|tape|\bava\b|tests?\b)/,
  /\.stack\b[^;]{0,80}(?:\b_?tests?\b|\bspecs?\b|vitest|jest|mocha)|\b(?:extract_stack|inspect\.stack|_getframe|currentframe|caller\(|caller_locations|getStackTrace|debug_backtrace|runtime\.Caller\w*|StackTrace\()[^;]{0,120}(?:\b_?tests?\b|\btest_|\bspecs?\b|pytest|unittest|junit|rspec|phpunit|xunit|nunit)/i,
  /\bPYTEST_\w+\b|"_?(?:pytest|unittest|nose|doctest)"(?: not)? ?in ?(?:sys\.)?modules|\bsys\.modules\b[^;]{0,40}"_?(?:pytest|unittest)|\bsys\.argv\b[^;]{0,60}(?:pytest|unittest)|"test" ?in ?sys\.argv|\b_called_from_test\b|\bfind_spec\("_?pytest|environ(?:\.get\(|\[)"CI"|getenv\("CI"/,
  /\btesting\.Testing\(\)|\bflag\.Lookup\("test\.|\bos\.Args\b[^;]{0,60}(?:\.test\b|-test\.)|\bos\.Getenv\("(?:CI|GO_TEST\w*)"/,
  /\bcfg!\((?:test|not\(test\)|debug_assertions)\)|#\[cfg\(not\(test\)\)\]|\bcurrent_exe\(\)[^;]{0,80}(?:deps|test)|\benv::var\w*\("(?:CI|NEXTEST\w*|RUST_TEST\w*)"|option_env!\("(?:CI|NEXTEST)/,
  /(?:Class\.forName|getProperty|getenv|findResource|loadClass)\("[^"]*(?:junit|testng|surefire|gradle\.test|\bCI\b)|java\.class\.path[^;]{0,80}junit|sun\.java\.command[^;]{0,80}(?:junit|surefire|gradle)/,
  /\bPHPUNIT_\w+|class_exists\("?'?\\*PHPUnit|defined\(["']PHPUNIT|\bdefined\? ?\(?(?:RSpec|Minitest|Test::Unit)\b|\$(?:PROGRAM_NAME|0)\b[^;]{0,40}(?:rspec|minitest|test)|ENV(?:\.fetch\(|\[)"(?:CI|RSPEC\w*)"|getenv\(["']CI["']/,
  /GetAssemblies\(\)[^;]{0,80}(?:xunit|nunit|mstest|testhost)|GetEnvironmentVariable\("(?:VSTEST\w*|CI|DOTNET_RUNNING\w*)"|\btesthost\b/i,
  /\bCCW_LOOP_\w+/,
  // Names put together so that nobody finds them
  /\benv(?:iron)?\[["'][A-Z_]{1,12}["']\+|\bgetenv\(["'][A-Z_]{1,12}["']\+|\batob\("[A-Za-z0-9+/=]{8,}"\)[^;]{0,40}env|env\[atob\(/,
  /\b(?:eval|exec|Function|compile)\([^;]{0,80}(?:\batob\(|base64|fromhex|b64decode|fromCharCode|Buffer\.from\()/,
  // Touches the verdict
  CHANGES_FILES,
  /^(?:Object|Array|String|Number|Promise|Map|Set|JSON|Math|Date|Reflect|Symbol|Function|Error|RegExp)(?:\.prototype)?\.\w+=(?![=>])/,
  /\bprocess\.(?:on|once|prependListener|addListener)\("(?:exit|beforeExit)"[^;]*(?:exitCode|exit\(0?\))|\bprocess\.(?:exit|reallyExit|kill|abort)=(?!=)|\bprocess\.exitCode=(?:0|undefined)\b|\bprocess\.stdout\.write=(?!=)/,
  /\b(?:globalThis|global|window)(?:\.|\[")(?:expect|assert|it|test|describe|beforeEach|afterEach)"?\]?=(?!=)|\bexpect\.extend\([^;]{0,200}\bto(?:Be|Equal|StrictEqual|Throw|Match|Contain|Have\w+)[(:]|\bexpect\.(?!extend)\w+=(?![=>])|\b(?:assert|strict)(?:\.\w+)+=(?![=>])|\bAssertion\.(?:prototype|overwriteMethod|overwriteProperty)\b/,
  /\b(?:unittest\.)?TestCase\.\w+=(?!=)|\bsetattr\((?:unittest|pytest|builtins|TestCase)|\b(?:pytest|unittest|_pytest|builtins|doctest)(?:\.\w+)+=(?!=)|\bsys\.exit=(?!=)|\bos\._exit=|\bsys\.modules\["(?:pytest|unittest|_pytest)/,
  /\basymmetricMatch\b|jest\.asymmetricMatcher/,
  /^(?:class|module) (?:RSpec|Minitest|Test::Unit)\b|\b(?:RSpec|Minitest)\S*\.(?:class_eval|prepend|send|define_method|module_eval)\b/,
  // Writes what only a runner writes
  /(?:writeFile\w*|createWriteStream|open|write_text|write_bytes|WriteFile|Create|File\.write|file_put_contents|fs::write|dump)\([^;]{0,120}(?:junit\S*\.xml|TEST-\S*\.xml|surefire-reports|test-results|test-report|vitest\S*\.json|jest-results|coverage-(?:final|summary)\.json|lcov\.info|cobertura\S*\.xml|\.coverage\b|coverage\.xml|coverage\.out)/i,
];

/** Ends the process well, which ends a run of tests as well; on the text without literals. */
export const ENDS_WELL =
  /\bprocess\.(?:exit|reallyExit)\((?:0|undefined)?\)|\bos\._exit\(0?\)|\bsys\.exit\((?:0|None)?\)|\bos\.Exit\(0\)|\bprocess::exit\(0\)|\bSystem\.exit\(0\)|\bexitProcess\(0\)|\bRuntime\.getRuntime\(\)\.halt\(|\bEnvironment\.Exit\(0\)|^exit\((?:0)?\)$|^exit!?(?: ?0| ?true)?$|^(?:die|quit)\((?:0)?\)$|\bexit!\(?(?:0|true)?\)?$|\bDeno\.exit\(0?\)/;

/** Runs when the process ends. */
export const AT_EXIT =
  /\batexit\.register\(|\bat_exit\b|\bregister_shutdown_function\(|\baddShutdownHook\(|\bAppDomain\S*ProcessExit\+=|\batexit\(/;

/** A file that is a program of its own: it may end itself. */
export const PROGRAM_FILE =
  /(?:^|\/)(?:bin|cli|cmd|scripts?|tools?|tasks|examples?|commands|server|bench\w*)\/|(?:^|\/)(?:cli|main|__main__|index|server|app|bin|run|start|manage|program|entry\w*|Main|Program|Application|worker|daemon)\.\w+$|(?:^|\/)[^./]+$/;

/** Looks at who called: harmless by itself. */
export const CALLERS =
  /\bnew Error\([^)]*\)\.stack\b|\bcaptureStackTrace\(|\bextract_stack\(|\binspect\.stack\(|\b_getframe\(|\bcurrentframe\(|\bcaller(?:_locations)?[.[]|\bgetStackTrace\(|\bdebug_backtrace\(|\bruntime\.Callers?\(|\bnew StackTrace\(/;

/** A text or a pattern that names tests. */
export const NAMES_TESTS =
  /"[^"]*(?:[._-]tests?\b|\btest_|\.spec\b|_spec\b|vitest|jest|mocha|pytest|unittest|junit|rspec|phpunit|xunit|nunit|__tests__|Tests?\.)[^"]*"|\/[^/"]*(?:\\\.tests?\b|\\\.spec\b|[_-]tests?\b|vitest|jest|mocha|__tests__)[^/"]*\//i;
