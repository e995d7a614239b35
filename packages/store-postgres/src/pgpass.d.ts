declare module "pgpass" {
  /** Finds the password in PGPASSFILE or `~/.pgpass`; tells undefined where there is none. */
  export default function pgpass(
    of: { host: string; port: number; database?: string | undefined; user?: string | undefined },
    found: (password: string | undefined) => void,
  ): void;
}
