/**
 * For which loop, under which lease, a group of processes was started. It is kept beside them: whoever holds a later
 * lease of that loop may end them, also while the process that started them is suspended.
 */
export interface ProcessScope {
  loop: string;
  epoch: number;
}
