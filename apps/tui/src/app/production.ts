/**
 * Loads what contains React as it is made for production: the other build keeps a record of every render for as long
 * as the process lives. React looks at NODE_ENV when it is loaded; agents and tests, which inherit our variables, must
 * not see it changed.
 */
export async function withProductionEnv<T>(load: () => Promise<T>): Promise<T> {
  const { env } = process;
  const before = env.NODE_ENV;
  env.NODE_ENV = "production";
  try {
    return await load();
  } finally {
    if (before === undefined) delete env.NODE_ENV;
    else env.NODE_ENV = before;
  }
}
