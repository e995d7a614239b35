import { type Entry, isDamaged } from "@ccw-loop/view";
import { Box } from "ink";
import { type Line, line, type Size, wrappedTo } from "../../components/line.ts";
import { Panel } from "../../components/panel.tsx";
import { Text, TextLine, TextLines } from "../../components/text.tsx";
import { useModel } from "../../components/use-model.ts";
import { loopScreenAt } from "../../model/screen-states.ts";
import { withFrozenClock } from "../loop/driver.ts";
import { openingText, sequenceLine, statusLine } from "../loop/header.tsx";
import { agentWindow } from "../loop/panes/agent.ts";
import { type LoadedLoop, loadedLoop } from "../loop/panes/pane.ts";
import { paneLines } from "../loop/panes/panes.ts";

/** Rows that what is said of the loop, its tests and its tasks may take. */
const MOST = { said: 4, tests: 12, tasks: 10 };

/** The selected loop beside the list: what it waits for, its tests and tasks, and the last words of the agent. */
export function Preview({ entry, size }: { entry: Entry; size: Size }) {
  const model = useModel();
  const opened = model.opened?.id === entry.id ? model.opened : null;
  const shown = loadedLoop({ ...model, opened });
  return (
    <Panel
      title={isDamaged(entry) ? entry.id : entry.title}
      width={size.columns}
      height={size.rows}
    >
      {shown ? (
        <Body shown={shown} size={{ columns: size.columns - 2, rows: size.rows - 2 }} />
      ) : (
        <Text tone="quiet" wrap="wrap">
          {isDamaged(entry) ? entry.reason : openingText({ ...model, opened })}
        </Text>
      )}
    </Panel>
  );
}

function Body({ shown, size: { columns, rows } }: { shown: LoadedLoop; size: Size }) {
  const model = withFrozenClock(useModel());
  const { progress, log } = shown;
  const { state } = progress;
  const { text, tone } = statusLine(state, model);
  const said = wrappedTo(text, { columns, rows: MOST.said }, tone);
  const room = { columns, whole: false, now: model.now };
  const parts: [name: string, lines: readonly Line[]][] = [
    ["Tests", paneLines("tests", shown, room).slice(0, MOST.tests)],
    ["Tasks", paneLines("tasks", shown, room).slice(0, MOST.tasks)],
  ];
  const used = said.length + 2 + parts.reduce((sum, [, lines]) => sum + lines.length + 2, 0);
  const left = Math.max(0, rows - used - 1);
  const agent = agentWindow(loopScreenAt(shown.id), log, { columns, rows: left }).rows;
  return (
    <Box flexDirection="column">
      <TextLine of={sequenceLine(progress, model.now, columns)} />
      <TextLines of={said} />
      {parts.map(([name, lines]) => (
        <Part key={name} name={name} lines={lines} />
      ))}
      {left > 0 && (
        <Part
          name="Agent"
          lines={agent.length > 0 ? agent : [line("Nothing said yet.", "quiet")]}
        />
      )}
    </Box>
  );
}

function Part({ name, lines }: { name: string; lines: readonly Line[] }) {
  return (
    <Box flexDirection="column" marginTop={1} flexShrink={0}>
      <Text tone="strong">{name}</Text>
      <TextLines of={lines} />
    </Box>
  );
}
