import type { Tone } from "@ccw-loop/view";
import { Box } from "ink";
import { type ReactNode, use } from "react";
import { Text, ThemeContext } from "./text.tsx";

interface PanelProps {
  title: string;
  /** Has the keys that scroll. */
  focused?: boolean;
  /** Said at the right end of the upper edge, such as `12-30 of 400`. */
  note?: string;
  width?: number;
  /** With both edges; as high as its content without it. */
  height?: number;
  /** What does not fit in is cut. */
  maxHeight?: number;
  children?: ReactNode;
}

/** A frame around what it holds, with its name in the upper edge. */
export function Panel({ title, focused = false, note = "", children, ...size }: PanelProps) {
  const tone = focused ? "name" : "quiet";
  return (
    <Box flexDirection="column" flexShrink={0} {...size}>
      <Box flexShrink={0} height={1} overflow="hidden">
        <Box flexShrink={0}>
          <Text tone={tone}>╭</Text>
        </Box>
        <Text tone={focused ? "name" : "strong"}>{` ${title} `}</Text>
        <Edge tone={tone} />
        <Box flexShrink={0}>
          <Text tone={tone}>{note === "" ? "╮" : ` ${note} ─╮`}</Text>
        </Box>
      </Box>
      <Box
        flexDirection="column"
        flexGrow={1}
        borderStyle="round"
        borderTop={false}
        overflowY="hidden"
        {...useEdge(tone)}
      >
        <Box flexDirection="column" flexShrink={0}>
          {children}
        </Box>
      </Box>
    </Box>
  );
}

/** A line across the room that there is, with a name near its beginning. */
export function Rule({ name = "" }: { name?: string }) {
  return (
    <Box flexShrink={0} height={1}>
      {name !== "" && <Text tone="quiet">{`─ ${name} `}</Text>}
      <Edge tone="quiet" />
    </Box>
  );
}

function Edge({ tone }: { tone: Tone }) {
  const sides = { borderBottom: false, borderLeft: false, borderRight: false };
  return (
    <Box flexGrow={1} flexBasis={0} height={1} borderStyle="single" {...sides} {...useEdge(tone)} />
  );
}

/** The look of a tone for a border. */
function useEdge(tone: Tone) {
  const { color, dimColor } = use(ThemeContext)[tone];
  return {
    ...(color === undefined ? {} : { borderColor: color }),
    ...(dimColor === undefined ? {} : { borderDimColor: dimColor }),
  };
}
