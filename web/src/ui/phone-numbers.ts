import { useSyncExternalStore } from 'react';
import { loadWhenReachable } from './lazy-part.ts';
import { whenIdle } from './when-idle.ts';

type PhoneFormat = (number: string) => string;

let format: PhoneFormat = (number) => number;
const watching = new Set<() => void>();

export async function loadPhoneFormat(): Promise<void> {
  const { phoneGroups } = await loadWhenReachable(() => import('./phone-groups.ts'));
  format = phoneGroups;
  for (const changed of watching) changed();
}

/** The numbering plans of all countries are large, so they load once a screen with a phone number is drawn. */
function watch(changed: () => void): () => void {
  if (watching.size === 0) whenIdle(() => void loadPhoneFormat().catch(console.error));
  watching.add(changed);
  return () => void watching.delete(changed);
}

/** '+44 20 7946 0958'. Without groups until the numbering plans have loaded; a component that calls the hook is then drawn again. */
export const usePhoneFormat = (): PhoneFormat => useSyncExternalStore(watch, phoneFormat);
export const phoneFormat = (): PhoneFormat => format;
