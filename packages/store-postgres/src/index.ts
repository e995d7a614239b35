import type { StoreFactory } from "@ccw-loop/core";
import { parseOptions } from "./options.ts";
import { postgresStore } from "./postgres-store.ts";

export { migrate, type PostgresStatus, status } from "./migrate.ts";
export { type PostgresOptions, placeName } from "./options.ts";
export { type PostgresStoreOptions, postgresStore } from "./postgres-store.ts";

/** The package as a module that an operator names as `store`; its options are `PostgresOptions`. */
const factory: StoreFactory = {
  describe: "loops on PostgreSQL, for many machines",
  open: ({ options, warn }) =>
    postgresStore({
      ...parseOptions(options),
      onWarning: ({ id, message }) => warn(`Loop ${id}: ${message}`),
    }),
};
export default factory;
