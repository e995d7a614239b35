import type { Language } from "./languages.ts";
import { isDecorator, type Outline } from "./outline.ts";
import type { Token } from "./scan.ts";

/** A bracket that is still open. In a block statements end; in other brackets they go on. */
interface Frame {
  block: boolean;
  /** The head of the block, or of the block around the bracket. */
  head: number;
}

/** For languages whose blocks stand in braces. */
export function splitBraces(tokens: readonly Token[], language: Language, outline: Outline): void {
  const frames: Frame[] = [{ block: true, head: -1 }];
  let current: Token[] = [];
  /** The head of the block that was just closed, where its statement goes on: `}, 5000);`. */
  let tailOf: number | null = null;
  const frame = () => frames.at(-1) as Frame;
  const end = (): number => {
    const at = outline.add(current, tailOf ?? frame().head);
    current = [];
    tailOf = null;
    return at;
  };
  tokens.forEach((token, index) => {
    const { kind, text } = token;
    const { block, head } = frame();
    if (kind === "newline") {
      if (!block || current.length === 0 || isDecorator(current)) return;
      if (endsHere(current, tokens[index + 1], language)) end();
      return;
    }
    if (kind !== "sign") {
      current.push(token);
      return;
    }
    if (text === "{") {
      const opens = isBlock(current, token, language);
      current.push(token);
      frames.push({ block: opens, head: opens ? whole(end(), head) : head });
    } else if (text === "(" || text === "[") {
      current.push(token);
      frames.push({ block: false, head });
    } else if (text === "}" && block) {
      end();
      if (frames.length > 1) frames.pop();
      if (!frame().block) tailOf = head;
    } else if (text === ")" || text === "]" || text === "}") {
      current.push(token);
      if (frames.length > 1 && !block) frames.pop();
    } else if (text === ";" && block) end();
    else current.push(token);
  });
  end();
}

/** A block without a head belongs to the block around it. */
function whole(at: number, around: number): number {
  return at === -1 ? around : at;
}

const GOES_ON = /^[.,=+\-*/%&|?:<!([{^~]$/;
const CONTINUES = /^[.?)\]},=+\-*/&|<>:%^]$/;
const CONTINUING_WORD = /^(?:instanceof|in|as|satisfies|implements|extends|throws)$/;

/** Whether a statement ends at the line break before `next`. */
export function endsHere(
  current: readonly Token[],
  next: Token | undefined,
  { name }: Language,
): boolean {
  const last = current.at(-1);
  const before = current.at(-2)?.text;
  if (!last || !next) return true;
  if (name === "shell") return true;
  if (isBareHead(current)) return false;
  if (last.kind === "sign" && GOES_ON.test(last.text)) {
    const counts = /[+-]/.test(last.text) && before === last.text;
    const label = last.text === ":" && /^(?:case|default)$/.test(current[0]?.text ?? "");
    if (!counts && !label) return false;
  }
  if (last.text === ">" && before === "=") return false;
  if (next.kind === "word") return !CONTINUING_WORD.test(next.text);
  if (next.kind === "sign" && name === "javascript" && /^[([]$/.test(next.text)) return false;
  if (next.text === "&" || next.text === "*" || next.text === "<")
    return name !== "go" && name !== "c";
  return !(next.kind === "sign" && CONTINUES.test(next.text));
}

/** Whether what there is is only the head of a statement that follows without braces: `if (x)`, `else`. */
function isBareHead(tokens: readonly Token[]): boolean {
  const words = tokens.slice(0, 3).map(({ text }) => text);
  const from = words[0] === "else" ? 1 : 0;
  if (from === 1 && tokens.length === 1) return true;
  if (!/^(?:if|for|while)$/.test(words[from] ?? "") || tokens.at(-1)?.text !== ")") return false;
  let depth = 0;
  const close = tokens.findIndex(({ kind, text }) => {
    if (kind === "sign" && text === "(") depth += 1;
    else if (kind === "sign" && text === ")") depth -= 1;
    return kind === "sign" && text === ")" && depth === 0;
  });
  return close === tokens.length - 1;
}

const NO_BLOCK_AFTER =
  /^(?:const|let|var|return|in|of|yield|await|typeof|case|throw|new|as|satisfies|extends|default|import|export|from|struct|interface|with)$/;
/** Words that begin a Rust statement with a block of its own. */
const HEADED =
  /^(?:if|for|while|else|match|loop|unsafe|impl|trait|fn|pub|struct|enum|union|mod|async|const|test|cfg|derive)$/;

function firstWord(tokens: readonly Token[]): string {
  return tokens.slice(0, 4).find(({ kind }) => kind === "word")?.text ?? "";
}

/** Whether a brace opens a block of statements rather than a value. */
function isBlock(current: readonly Token[], brace: Token, { name }: Language): boolean {
  const last = current.at(-1);
  const before = current.at(-2);
  if (!last) return true;
  if (name === "shell") return last.text === ")" || (brace.spaced && last.text !== "$");
  if (last.kind === "string") return name === "kotlin" || name === "c";
  if (last.kind === "sign") {
    if (last.text === ")") return true;
    if (last.text === "}") return name !== "go" || brace.spaced;
    if (last.text === ">") return before?.text === "=" || before?.text === "-" || name !== "go";
    if (last.text === "]")
      return name === "go" ? brace.spaced : name !== "java" && name !== "csharp";
    if (last.text === "|" || last.text === "!") return name === "rust";
    return (
      last.text === "`" || (last.text === ":" && /^(?:case|default)$/.test(current[0]?.text ?? ""))
    );
  }
  switch (name) {
    case "go":
      return brace.spaced && !/^(?:struct|interface)$/.test(last.text);
    case "rust":
      return !/^[A-Z]/.test(last.text) || HEADED.test(firstWord(current));
    case "csharp":
      return !current.slice(-12).some(({ text }) => text === "new");
    case "javascript":
      return (
        !NO_BLOCK_AFTER.test(last.text) &&
        !(last.text === "type" && NO_BLOCK_AFTER.test(firstWord(current)))
      );
    default:
      return true;
  }
}
