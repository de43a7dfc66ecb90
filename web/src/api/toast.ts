import { tabData } from '../api/site-data.ts';

/** Shows a message for 4 s. At most three are visible. Screen readers announce them. */
export const toast = {
  success: (message: string): void => put({ message, color: 'green' }),
  error: (message: string): void => put({ message, color: 'red' }),
  /** A success that the next page in this tab shows. */
  afterReload: (message: string): void => void tabData.set(NEXT, message),
};

export interface Toast {
  message: string;
  color: 'green' | 'red';
}

const NEXT = 'toast';

/** Toasts that wait until the component that shows them has loaded. */
const waiting: Toast[] = [];
let show: ((toast: Toast) => void) | undefined;
let wake = (): void => undefined;

function put(toast: Toast): void {
  if (show) show(toast);
  else {
    waiting.push(toast);
    wake();
  }
}

/** Calls back at the first toast. */
export function onFirstToast(listener: () => void): () => void {
  wake = listener;
  const kept = tabData.get(NEXT);
  if (kept !== null) toast.success(kept);
  tabData.set(NEXT, null);
  return () => {
    wake = () => undefined;
  };
}

export const hasToasts = (): boolean => show !== undefined || waiting.length > 0;

/** From now on, `by` shows the toasts. */
export function showToasts(by: (toast: Toast) => void): void {
  show = by;
  for (const toast of waiting.splice(0)) by(toast);
}
