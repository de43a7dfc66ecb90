const REST_MS = 300;

export interface Typing {
  /** Runs the search after 300 ms in which no other one was asked for. */
  searchLater(search: () => void): void;
  stop(): void;
}

/** One search for a word that is typed, not one for each letter. */
export function createTyping(): Typing {
  let waiting: ReturnType<typeof setTimeout> | undefined;
  const stop = (): void => clearTimeout(waiting);
  return {
    stop,
    searchLater(search) {
      stop();
      waiting = setTimeout(search, REST_MS);
    },
  };
}
