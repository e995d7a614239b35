export type { Durability } from "./fs/node-disk.ts";
export { type FsStoreOptions, fsStore } from "./fs-store.ts";
