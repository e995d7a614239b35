import { toLoopError } from "@ccw-loop/core";
import { useEffect, useState } from "react";
import { type Notifying, notifying, notifyMe } from "./home/notify.ts";
import { Panel } from "./parts/panel.tsx";
import { hrefOf, Link } from "./parts/router.tsx";
import { host, isReader, session } from "./parts/server.ts";
import { useStore } from "./parts/store.ts";

/** Who is logged in, links for other browsers, such as that of a phone, and whether this one notifies. */
export function Settings() {
  const who = useStore(session);
  useEffect(() => {
    document.title = "Settings · CCW Loop";
  }, []);
  const until =
    typeof who === "object" && who.expires_at !== null ? new Date(who.expires_at) : null;
  return (
    <div className="new">
      <nav aria-label="Back">
        <Link to="">← All loops</Link>
      </nav>
      <h1>Settings</h1>
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
      <Notifications />
      <Panel title="The server">
        <p>
          <Link to="workers">Who drives which loops</Link>
        </p>
        <p>
          <Link to="doctor">What a loop needs here, and whether it is there</Link>
        </p>
        <p>
          <Link to="try">Try the API, operation by operation</Link>
        </p>
      </Panel>
    </div>
  );
}

const NOTIFYING: Readonly<Record<Notifying, string>> = {
  on: "This browser tells you when a loop needs you, fails or is done, as long as a page of the dashboard is open.",
  off: "This browser can tell you when a loop needs you, fails or is done, also while you look at something else.",
  blocked:
    "This browser blocks notifications of this page. Allow them in its settings for the page.",
  "unknown here": "This browser shows no notifications here.",
};

function Notifications() {
  const state = useStore(notifying);
  return (
    <Panel title="Notifications">
      <p>{NOTIFYING[state]}</p>
      {(state === "on" || state === "off") && (
        <button type="button" onClick={() => void notifyMe(state === "off")}>
          {state === "on" ? "Turn them off" : "Turn them on"}
        </button>
      )}
    </Panel>
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
