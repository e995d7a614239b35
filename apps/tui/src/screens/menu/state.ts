/** The menu of interactive mode, for the followed loop. */
export interface MenuState {
  kind: "menu";
  id: string;
  /** When the loop began to wait: another question has another time. */
  since: string;
  selected: number;
  notice: string | null;
  /** A choice was sent and is not answered yet. */
  busy: boolean;
}
