/** One slip at one place of a file: the text between two positions, and the text that stands there instead. */
export interface Fault {
  file: string;
  from: number;
  to: number;
  replacement: string;
  /** The kind of slip, such as `drops a condition`. */
  kind: string;
}

type Edit = Omit<Fault, 'file'>;

/** An edit of a part of a text, as an edit of the whole text. */
export const shifted = (edit: Edit, by: number): Edit => ({
  ...edit,
  from: edit.from + by,
  to: edit.to + by,
});
export type { Edit };
