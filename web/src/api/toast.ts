import { tabData } from '../api/site-data.ts';

/** Shows a message for 4 s. At most three are visible. Screen readers announce them. */
export const toast = {
  success: (message: string): void => put({ message, color: 'green' }),
  error: (message: string): void => put({ message, color: 'red' }),
};

export interface Toast {
  message: string;
  color: 'green' | 'red';
}

/** In the tab's data: a success that its next page shows. */
export const NEXT = 'toast';

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
  return () => {
    wake = () => undefined;
  };
}

export const hasToasts = (): boolean =>
  show !== undefined || waiting.length > 0 || tabData.get(NEXT) !== null;

/** From now on, `by` shows the toasts. */
export function showToasts(by: (toast: Toast) => void): void {
  show = by;
  for (const toast of waiting.splice(0)) by(toast);
}
