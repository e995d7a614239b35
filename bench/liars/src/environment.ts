/** What everything here is started with: ours, without the settings of a person and of a test that runs us. */
export function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) =>
      !/^(CCW_LOOP_|GIT_|VITEST|NODE_OPTIONS$|NODE_TEST_CONTEXT$|NODE_V8_COVERAGE$|CI$)/.test(name),
  );
  const who = { NAME: "Liars' bench", EMAIL: "bench@localhost" };
  return {
    ...Object.fromEntries(kept),
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: who.NAME,
    GIT_AUTHOR_EMAIL: who.EMAIL,
    GIT_COMMITTER_NAME: who.NAME,
    GIT_COMMITTER_EMAIL: who.EMAIL,
    NO_COLOR: "1",
  };
}
