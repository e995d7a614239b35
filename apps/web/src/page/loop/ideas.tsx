import type { LoopState } from "@ccw-loop/core";
import { detailsOf, factsOf, HYPOTHESIS_LOOKS, ideasOf, openIdeas } from "@ccw-loop/view";
import { Panel } from "../parts/panel.tsx";

/** What the agent suspects, what its probes would show, and what they showed; nothing where nothing was debugged. */
export function Ideas({ state }: { state: LoopState }) {
  const ideas = ideasOf(state);
  if (ideas.length === 0) return null;
  return (
    <Panel title="Hypotheses" note={`${openIdeas(state).length} open of ${ideas.length}`}>
      {ideas.map((idea) => {
        const [glyph, tone] = HYPOTHESIS_LOOKS[idea.status];
        return (
          <details key={idea.id} className="idea">
            <summary>
              <span className={tone} aria-hidden="true">
                {glyph}
              </span>{" "}
              {idea.description} <span className="quiet">{factsOf(idea)}</span>
            </summary>
            <dl>
              {detailsOf(idea).map(([name, text], at) => (
                <div key={`${name} ${at}`}>
                  <dt>{name}</dt>
                  <dd>{text}</dd>
                </div>
              ))}
            </dl>
          </details>
        );
      })}
    </Panel>
  );
}
