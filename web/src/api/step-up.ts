/**
 * A call that needs a proof of identity waits here until the dialog has collected one. Calls that wait at the same time share one
 * dialog.
 */
interface Waiting {
  promise: Promise<boolean>;
  resolve: (isProven: boolean) => void;
}

let waiting: Waiting | undefined;
const listeners = new Set<() => void>();

const change = (next: Waiting | undefined): void => {
  waiting = next;
  for (const listener of listeners) listener();
};

export const isProofWanted = (): boolean => waiting !== undefined;

/** Resolves to false if the user cancels, or if no screen can show the dialog. */
export function askForProof(): Promise<boolean> {
  if (listeners.size === 0) return Promise.resolve(false);
  if (!waiting) {
    let resolve = (_isProven: boolean): void => undefined;
    const promise = new Promise<boolean>((settle) => {
      resolve = settle;
    });
    change({ promise, resolve });
  }
  return waiting?.promise ?? Promise.resolve(false);
}

export function endProof(isProven: boolean): void {
  const ended = waiting;
  change(undefined);
  ended?.resolve(isProven);
}

export function onProofWanted(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) endProof(false);
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
