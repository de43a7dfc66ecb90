import { useSyncExternalStore } from 'react';
import { signal } from '../api/signal.ts';
import { loadWhenReachable } from './lazy-part.ts';
import { whenIdle } from './when-idle.ts';

type PhoneFormat = (number: string) => string;

const format = signal<PhoneFormat>((number) => number);

export async function loadPhoneFormat(): Promise<void> {
  const { phoneGroups } = await loadWhenReachable(() => import('./phone-groups.ts'));
  format.set(phoneGroups);
}

/** The numbering plans of all countries are large, so they load once a screen with a phone number is drawn. */
function watch(changed: () => void): () => void {
  if (!format.isFollowed()) whenIdle(() => void loadPhoneFormat().catch(console.error));
  return format.follow(changed);
}

/** '+44 20 7946 0958'. Without groups until the numbering plans have loaded; a component that calls the hook is then drawn again. */
export const usePhoneFormat = (): PhoneFormat => useSyncExternalStore(watch, format.get);
export const phoneFormat = format.get;
