/** One status or quantity of every slot. Its `name` chooses its colour. */
export interface Series<P> {
  name: string;
  label: string;
  /** null: no value in this slot */
  value: (point: P) => number | null;
}
