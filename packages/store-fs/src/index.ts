export type { Durability } from "./disk/node-disk.ts";
export { type FsStoreOptions, fsStore } from "./fs-store.ts";
