import { signal } from '../api/signal.ts';
import { remember, remembered } from '../ui/remembered.ts';

const SINGLE_KEYS = 'single_key_shortcuts';
/** People who use dictation or a switch device can turn single-key shortcuts off. */
export const hasSingleKeys = (): boolean => remembered(SINGLE_KEYS) !== 'off';
export const setSingleKeys = (isOn: boolean): void => remember(SINGLE_KEYS, isOn ? undefined : 'off');

/** The list of the screen, as the keyboard reaches it. Only one list with a search box is on a screen. */
const SEARCH = 'main input[type="search"]';
/** The button of a screen that opens its search in a dialog. */
const OPENER = 'main button[aria-keyshortcuts="/"]';
const ROWS = 'main table tbody tr';
const CONTROL = 'a[href], button:not(:disabled)';

/** What had the focus before the search. */
const left = signal<Element | null>(null);

/** Returns false if the screen has no search. */
export function focusSearch(): boolean {
  const input = document.querySelector<HTMLInputElement>(SEARCH);
  if (input) {
    if (document.activeElement !== input) left.set(document.activeElement);
    input.focus();
    input.select();
    return true;
  }
  const opener = document.querySelector<HTMLButtonElement>(OPENER);
  opener?.focus();
  opener?.click();
  return opener !== null;
}

/** Returns the focus from the search, so that the keys of the list work again. */
export function leaveSearch(): void {
  const element = left.get();
  const target =
    element instanceof HTMLElement && element.isConnected && element !== document.body ? element : undefined;
  left.set(null);
  if (target) target.focus({ preventScroll: true });
  else document.querySelector<HTMLInputElement>(SEARCH)?.blur();
}

/** The element of a row that takes the focus: the row, or its first control if the row does not open. */
const targetOf = (row: Element): HTMLElement | null =>
  row.matches('[tabindex="0"]') ? (row as HTMLElement) : row.querySelector<HTMLElement>(CONTROL);

/** Moves the focus to the next or the previous row; from outside of the list, to its first or last row. */
export function moveThroughRows(step: 1 | -1): void {
  const rows = [...document.querySelectorAll(ROWS)].filter((row) => targetOf(row) !== null);
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const row = rows[(at === -1 && step === -1 ? rows.length : at) + step];
  if (row) targetOf(row)?.focus();
}

/** The row of a list, scrolled into view; null if the page does not show it. */
export function rowWithId(id: string): HTMLElement | null {
  const row = document.querySelector<HTMLElement>(`${ROWS}[data-row="${CSS.escape(id)}"]`);
  row?.scrollIntoView({ block: 'nearest' });
  return row;
}
