/**
 * A call that needs a proof of identity waits here until the dialog has collected one. Calls that wait at the same time share one
 * dialog.
 */

import { signal } from './signal.ts';

interface Waiting {
  promise: Promise<boolean>;
  resolve: (isProven: boolean) => void;
}

const waiting = signal<Waiting>();

export const isProofWanted = (): boolean => waiting.get() !== undefined;

/** Resolves to false if the user cancels, or if no screen can show the dialog. */
export function askForProof(): Promise<boolean> {
  if (!waiting.isFollowed()) return Promise.resolve(false);
  const begun = waiting.get() ?? Promise.withResolvers<boolean>();
  waiting.set(begun);
  return begun.promise;
}

export function endProof(isProven: boolean): void {
  const ended = waiting.get();
  waiting.set(undefined);
  ended?.resolve(isProven);
}

export function onProofWanted(listener: () => void): () => void {
  const stop = waiting.follow(listener);
  return () => {
    stop();
    if (!waiting.isFollowed()) endProof(false);
  };
}

const CHANNEL = 'sixdigit-step-up';

/** For a window that has collected the proof: dialogs of this browser that wait for it end. */
export function announceProof(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage('proven');
  channel.close();
}

/** Calls back when another window has collected the proof. Returns a function that unsubscribes. */
export function onProofElsewhere(listener: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = listener;
  return () => channel.close();
}
