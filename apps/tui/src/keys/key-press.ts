/**
 * One key as a person names it: `a`, `S`, `/`, `space`, `enter`, `esc`, `tab`, `shift+tab`, `up`, `pageup`, `home`,
 * `backspace`, `delete`, `ctrl+c`, `alt+b`; `paste` for a text that was pasted, to which nothing is bound. `text` is what
 * it types into a field; empty for keys that type nothing.
 */
export interface KeyPress {
  key: string;
  text: string;
}
