/** What the user menu and the palette open, and the frame shows: the dialog that creates an account, or the palette. */
type Asked = 'create' | 'find';
const listeners = new Set<(asked: Asked) => void>();

export function askForAccount(asked: Asked): void {
  for (const listener of listeners) listener(asked);
}

/** Returns a function that unsubscribes. */
export function onAskForAccount(listener: (asked: Asked) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
