import { errorText } from "@ccw-loop/core";
import { type SubmitEvent, useState } from "react";
import { host, link, session } from "./parts/server.ts";
import { useStore } from "./parts/store.ts";

/** Asks for the token of who has no session, or none any more. */
export function Login({ problem }: { problem: string | null }) {
  const [token, setToken] = useState("");
  const [refused, setRefused] = useState<string | null>(null);
  const state = useStore(link);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setRefused(null);
    try {
      session.set(await host.logIn({ token: token.trim() }));
    } catch (error) {
      setRefused(link.get() === "lost" ? errorText(error) : "This is not the server's token.");
    }
  };
  return (
    <main className="opening">
      <h1>CCW Loop</h1>
      <p>
        Open the login link that <code>ccw-loop serve</code> prints at its start: it works once. Or
        give the server's token, which is in the file that it names.
      </p>
      <form onSubmit={submit}>
        <label htmlFor="token">Token</label>
        <input
          id="token"
          type="password"
          autoComplete="off"
          required
          value={token}
          onChange={(event) => setToken(event.target.value)}
        />
        <button type="submit" className="primary">
          Log in
        </button>
      </form>
      <p className="bad" role="alert">
        {state === "lost" ? "The server does not answer." : (refused ?? problem)}
      </p>
    </main>
  );
}
