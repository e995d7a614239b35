/**
 * What makes the tables, step by step, each for the schema `s`. A step that was released never changes: what comes later is
 * a further step.
 */
export const MIGRATIONS: readonly ((s: string) => string)[] = [
  (s) => `
    CREATE TABLE ${s}.loops (
      no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text COLLATE "C" NOT NULL UNIQUE,
      revision bigint NOT NULL,
      state json NOT NULL,
      status text NOT NULL,
      tags text[] NOT NULL,
      words text NOT NULL,
      updated_at text COLLATE "C" NOT NULL,
      changed xid8 NOT NULL DEFAULT pg_current_xact_id(),
      epoch bigint NOT NULL DEFAULT 0,
      owner text,
      claim uuid,
      lease_until timestamptz,
      renewed_at timestamptz
    ) WITH (fillfactor = 70);
    CREATE INDEX loops_newest ON ${s}.loops (updated_at DESC, id);
    CREATE INDEX loops_by_status ON ${s}.loops (status, updated_at DESC, id);
    CREATE INDEX loops_by_tag ON ${s}.loops USING gin (tags) WHERE tags <> '{}';
    CREATE INDEX loops_changed ON ${s}.loops (changed);

    CREATE TABLE ${s}.commits (
      loop bigint NOT NULL REFERENCES ${s}.loops ON DELETE CASCADE,
      revision bigint NOT NULL,
      op_key bytea NOT NULL,
      op_id text NOT NULL,
      actor text NOT NULL,
      epoch bigint,
      at timestamptz NOT NULL DEFAULT clock_timestamp(),
      events json NOT NULL,
      PRIMARY KEY (loop, revision),
      UNIQUE (loop, op_key)
    );

    CREATE TABLE ${s}.removals (
      loop bigint PRIMARY KEY,
      id text COLLATE "C" NOT NULL,
      token uuid NOT NULL,
      at timestamptz NOT NULL DEFAULT clock_timestamp(),
      changed xid8 NOT NULL DEFAULT pg_current_xact_id()
    );
    CREATE INDEX removals_changed ON ${s}.removals (changed);

    CREATE TABLE ${s}.logs (
      loop bigint PRIMARY KEY REFERENCES ${s}.loops ON DELETE CASCADE,
      last bigint NOT NULL,
      bytes bigint NOT NULL
    );
    CREATE TABLE ${s}.log_batches (
      loop bigint NOT NULL REFERENCES ${s}.logs ON DELETE CASCADE,
      last bigint NOT NULL,
      ends bigint NOT NULL,
      token uuid NOT NULL,
      records json NOT NULL,
      PRIMARY KEY (loop, last),
      UNIQUE (loop, token)
    );

    CREATE SEQUENCE ${s}.epochs MAXVALUE 9999999999;
  `,
  (s) => `
    ALTER TABLE ${s}.loops ADD COLUMN waiting boolean NOT NULL DEFAULT false, ADD COLUMN taken bigint;
    CREATE SEQUENCE ${s}.takeovers;
  `,
  // A page of a list says how many there are. Some rows for each status, so that writers seldom wait for one another.
  (s) => `
    CREATE TABLE ${s}.counts (
      status text NOT NULL,
      part int NOT NULL,
      loops bigint NOT NULL,
      PRIMARY KEY (status, part)
    ) WITH (fillfactor = 50);
    INSERT INTO ${s}.counts SELECT status, 0, count(*) FROM ${s}.loops GROUP BY status;
    CREATE FUNCTION ${s}.count_loops() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
      BEGIN
        IF TG_OP = 'INSERT' THEN
          INSERT INTO ${s}.counts AS c SELECT status, pg_backend_pid() % 16, count(*) FROM made GROUP BY status ORDER BY status
            ON CONFLICT (status, part) DO UPDATE SET loops = c.loops + excluded.loops;
        ELSIF TG_OP = 'DELETE' THEN
          INSERT INTO ${s}.counts AS c SELECT status, pg_backend_pid() % 16, -count(*) FROM gone GROUP BY status ORDER BY status
            ON CONFLICT (status, part) DO UPDATE SET loops = c.loops + excluded.loops;
        ELSE
          INSERT INTO ${s}.counts AS c SELECT status, pg_backend_pid() % 16, loops
            FROM (VALUES (OLD.status, -1), (NEW.status, 1)) moved (status, loops) ORDER BY status
            ON CONFLICT (status, part) DO UPDATE SET loops = c.loops + excluded.loops;
        END IF;
        RETURN NULL;
      END $$;
    REVOKE ALL ON FUNCTION ${s}.count_loops() FROM PUBLIC;
    CREATE TRIGGER loops_made AFTER INSERT ON ${s}.loops REFERENCING NEW TABLE AS made
      FOR EACH STATEMENT EXECUTE FUNCTION ${s}.count_loops();
    CREATE TRIGGER loops_gone AFTER DELETE ON ${s}.loops REFERENCING OLD TABLE AS gone
      FOR EACH STATEMENT EXECUTE FUNCTION ${s}.count_loops();
    CREATE TRIGGER loops_moved AFTER UPDATE OF status ON ${s}.loops FOR EACH ROW
      WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION ${s}.count_loops();
  `,
  // A commit is written by the statement that finds its loop: nothing has to look for that loop again.
  (s) => `
    ALTER TABLE ${s}.commits DROP CONSTRAINT commits_loop_fkey;
    CREATE FUNCTION ${s}.remove_commits() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
      BEGIN
        DELETE FROM ${s}.commits WHERE loop IN (SELECT no FROM gone);
        RETURN NULL;
      END $$;
    REVOKE ALL ON FUNCTION ${s}.remove_commits() FROM PUBLIC;
    CREATE TRIGGER commits_gone AFTER DELETE ON ${s}.loops REFERENCING OLD TABLE AS gone
      FOR EACH STATEMENT EXECUTE FUNCTION ${s}.remove_commits();
  `,
];

/** The version of the tables that this program works with. */
export const VERSION = MIGRATIONS.length;

/** What a role needs that only drives loops. It can add to the history and remove a loop, and change nothing of a history. */
export function grants(s: string, role: string): string {
  return `
    GRANT USAGE ON SCHEMA ${s} TO ${role};
    GRANT SELECT ON ${s}.versions, ${s}.counts TO ${role};
    GRANT SELECT, INSERT, UPDATE, DELETE ON ${s}.loops TO ${role};
    GRANT SELECT, INSERT ON ${s}.commits TO ${role};
    GRANT SELECT, INSERT, DELETE ON ${s}.removals TO ${role};
    GRANT SELECT, INSERT, UPDATE ON ${s}.logs TO ${role};
    GRANT SELECT, INSERT, DELETE ON ${s}.log_batches TO ${role};
    GRANT USAGE, SELECT ON SEQUENCE ${s}.epochs, ${s}.takeovers TO ${role};
  `;
}
