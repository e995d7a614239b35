import { toLoopError } from "@ccw-loop/core";
import { useEffect, useState } from "react";
import { Panel } from "./parts/panel.tsx";
import { hrefOf, Link } from "./parts/router.tsx";
import { host, isReader, session } from "./parts/server.ts";
import { useStore } from "./parts/store.ts";

/** Who is logged in, and links for other browsers, such as that of a phone. */
export function Settings() {
  const who = useStore(session);
  useEffect(() => {
    document.title = "Logins · CCW Loop";
  }, []);
  const until =
    typeof who === "object" && who.expires_at !== null ? new Date(who.expires_at) : null;
  return (
    <div className="new">
      <nav aria-label="Back">
        <Link to="">← All loops</Link>
      </nav>
      <h1>Logins</h1>
      {until !== null && <p>This browser is logged in until {until.toLocaleString()}.</p>}
      {isReader(who) ? (
        <p>It may look at everything and change nothing.</p>
      ) : (
        <Panel title="Another browser">
          <p>
            A link logs one browser in, once and within 15 minutes. Whoever opens it may do what you
            may: give it to nobody whom you would not give this machine.
          </p>
          <LoginLink label="Make a link" readOnly={false} />
          <p>Whoever opens this one sees everything and changes nothing.</p>
          <LoginLink label="Make a link to look only" readOnly />
        </Panel>
      )}
    </div>
  );
}

function LoginLink({ label, readOnly }: { label: string; readOnly: boolean }) {
  const [link, setLink] = useState<string | null>(null);
  const [refused, setRefused] = useState<string | null>(null);
  const make = async () => {
    try {
      const { login } = await host.login({ readOnly });
      setLink(`${location.origin}${hrefOf("")}#login=${login}`);
      setRefused(null);
    } catch (error) {
      setRefused(toLoopError(error).message);
    }
  };
  return (
    <div className="field">
      <button type="button" onClick={() => void make()}>
        {label}
      </button>
      <div role="status">
        {link !== null && (
          <input
            aria-label={readOnly ? "Link to look only" : "Link"}
            readOnly
            value={link}
            onFocus={(event) => event.target.select()}
          />
        )}
      </div>
      <p className="bad" role="alert">
        {refused}
      </p>
    </div>
  );
}
