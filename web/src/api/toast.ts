import { signal } from './signal.ts';
import { tabData } from './site-data.ts';

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
const waiting = signal<readonly Toast[]>([]);
const showing = signal<{ by: (toast: Toast) => void }>();

function put(toast: Toast): void {
  const shown = showing.get();
  if (shown) shown.by(toast);
  else waiting.set([...waiting.get(), toast]);
}

/** Calls back at the first toast. */
export const onFirstToast = waiting.follow;

export const hasToasts = (): boolean =>
  showing.get() !== undefined || waiting.get().length > 0 || tabData.get(NEXT) !== null;

/** From now on, `by` shows the toasts. */
export function showToasts(by: (toast: Toast) => void): void {
  showing.set({ by });
  for (const toast of waiting.get()) by(toast);
  waiting.set([]);
}
