import { lazy, Suspense, useEffect, useState } from "react";
import { Compare } from "./compare/compare.tsx";
import { projects, readProjects } from "./home/everywhere.ts";
import { Home } from "./home/home.tsx";
import { notifying, notifyOfLoops } from "./home/notify.ts";
import { Doctor } from "./host/doctor.tsx";
import { Workers } from "./host/workers.tsx";
import { Login } from "./login.tsx";
import { LoopPage } from "./loop/loop.tsx";
import { NewLoop } from "./new/new.tsx";
import { Notice, tellError } from "./parts/notice.tsx";
import { goTo, Link, type Place, usePlace } from "./parts/router.tsx";
import { base, host, isOneProject, isReader, link, openSession, session } from "./parts/server.ts";
import { useStore } from "./parts/store.ts";
import { Settings } from "./settings.tsx";

/** Loaded where it is looked at. */
const Try = lazy(() => import("./try/try.tsx"));

/** The whole page: who is logged in, where it is, and whether what it shows is up to date. */
export function App() {
  const who = useStore(session);
  const place = usePlace();
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => void openSession().then(setProblem), []);
  useEffect(shortcuts, []);
  if (who === "unknown") return <Opening problem={problem} />;
  if (who === "out") return <Login problem={problem} />;
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <Top place={place} />
      <Connection />
      <Notifications />
      <main id="main" tabIndex={-1}>
        <Page place={place} />
      </main>
      <Notice />
    </>
  );
}

function Page({ place }: { place: Place }) {
  const [first = "", id = "", tab = ""] = place.path.split("/");
  if (first === "loops" && id !== "")
    return <LoopPage key={id} id={decodeURIComponent(id)} tab={tab} />;
  if (first === "new") return isReader(session.get()) ? <OnlyToLook /> : <NewLoop />;
  if (first === "settings") return <Settings />;
  if (first === "try") {
    return (
      <Suspense fallback={<p role="status">One moment…</p>}>
        <Try query={place.query} />
      </Suspense>
    );
  }
  if (first === "doctor") return <Doctor />;
  if (first === "workers") return <Workers />;
  if (first === "compare") return <Compare query={place.query} />;
  if (first === "") return <Home query={place.query} />;
  return (
    <section className="opening">
      <h1>There is no such page</h1>
      <p>
        <Link to="">All loops</Link>
      </p>
    </section>
  );
}

function OnlyToLook() {
  return (
    <section className="opening">
      <h1>You may look</h1>
      <p>
        Your token reads loops and makes none. <Link to="">All loops</Link>
      </p>
    </section>
  );
}

function Top({ place }: { place: Place }) {
  const who = useStore(session);
  return (
    <header className="top">
      <Link to={isOneProject ? "/" : ""} className="brand">
        CCW Loop
      </Link>
      <Projects place={place} />
      <span className="grow" />
      {isReader(who) ? (
        <span className="quiet">You may look</span>
      ) : (
        <Link to="new" className="button primary">
          New loop
        </Link>
      )}
      {typeof who === "object" && (
        <Link to="settings" className="quiet">
          Settings
        </Link>
      )}
      {typeof who === "object" && (
        <button type="button" className="ghost" onClick={leave}>
          Log out
        </button>
      )}
    </header>
  );
}

/** Shows nothing on the page: tells of loops by the desktop, where that was asked for. */
function Notifications() {
  const isOn = useStore(notifying) === "on";
  useEffect(() => (isOn ? notifyOfLoops() : undefined), [isOn]);
  return null;
}

/** Which project is shown, and the way to the others; nothing where there is one. */
function Projects({ place }: { place: Place }) {
  const all = useStore(projects);
  useEffect(() => void readProjects(), []);
  if (all.length < 2) return null;
  const here = all.find(({ path }) => base.pathname === `${path}/`) ?? all[0];
  const shown = isOneProject || place.path !== "" ? here?.path : "";
  return (
    <nav aria-label="Projects">
      <select
        aria-label="Project"
        value={shown}
        onChange={(event) => goTo(`${event.target.value}/`)}
      >
        <option value="">All projects</option>
        {all.map(({ name, path }) => (
          <option key={path} value={path}>
            {name}
          </option>
        ))}
      </select>
    </nav>
  );
}

async function leave(): Promise<void> {
  try {
    await host.logOut();
    session.set("out");
  } catch (error) {
    tellError(error);
  }
}

/** Says that the server does not answer; what it shows stays, and goes on by itself. */
function Connection() {
  const state = useStore(link);
  return (
    <div role="alert">
      {state === "lost" && (
        <p className="banner warning">
          The server does not answer. What you see is from before; it goes on by itself as soon as
          the server is back.
        </p>
      )}
    </div>
  );
}

function Opening({ problem }: { problem: string | null }) {
  const state = useStore(link);
  useEffect(() => {
    if (problem === null) return;
    const timer = setInterval(() => void openSession(), 2000);
    return () => clearInterval(timer);
  }, [problem]);
  return (
    <main className="opening">
      <h1>CCW Loop</h1>
      <p role="status">{state === "lost" ? "The server does not answer." : "One moment…"}</p>
    </main>
  );
}

/** `n` makes a new loop, `/` searches. */
function shortcuts(): () => void {
  const onKey = (event: KeyboardEvent) => {
    const { target, key } = event;
    const typing =
      target instanceof HTMLElement && target.closest("input, textarea, select, dialog") !== null;
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (key === "n") goTo("new");
    else if (key === "/") document.querySelector<HTMLInputElement>("input[type=search]")?.focus();
    else return;
    event.preventDefault();
  };
  window.addEventListener("keydown", onKey);
  return () => window.removeEventListener("keydown", onKey);
}
