/** What the user menu and the palette open, and the frame shows: the dialog that creates an account, or the palette. */
type Asked = 'create' | 'find';
let open: ((asked: Asked) => void) | undefined;

export const askForAccount = (asked: Asked): void => open?.(asked);

/** Returns a function that unsubscribes. */
export function onAskForAccount(listener: (asked: Asked) => void): () => void {
  open = listener;
  return () => {
    open = undefined;
  };
}
