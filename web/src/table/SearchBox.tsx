import { CloseButton, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import type { List } from './list.ts';
import { leaveSearch } from './list-keys.ts';

/**
 * Wide enough for its placeholder. Escape clears it and returns the focus. Searches 300 ms after the last keystroke, or
 * immediately on Enter.
 */
export function SearchBox<S extends { search: string }>({
  list,
  placeholder,
}: {
  list: List<S>;
  placeholder: string;
}) {
  const applied = list.search.search;
  const [text, setText] = useState(applied);
  const [typing] = useState(createTyping);
  const sent = useRef(applied);
  const input = useRef<HTMLInputElement>(null);

  // "Back", a link or "clear filters" changed the URL.
  useEffect(() => {
    if (applied === sent.current) return;
    sent.current = applied;
    setText(applied);
  }, [applied]);
  useEffect(() => typing.stop, [typing]);

  const apply = (search: string): void => {
    typing.stop();
    sent.current = search.trim();
    if (sent.current !== applied) list.change({ search: sent.current } as Partial<S>);
  };
  const type = (search: string): void => {
    setText(search);
    typing.searchLater(() => apply(search));
  };

  return (
    <TextInput
      ref={input}
      type="search"
      autoComplete="off"
      enterKeyHint="search"
      spellCheck={false}
      aria-label={placeholder.replace(/\.+$/, '')}
      placeholder={placeholder}
      value={text}
      maxLength={200}
      // phones have larger text in fields, because their browsers would zoom in otherwise
      classNames={{ input: 'placeholder:text-14' }}
      style={{ minWidth: `min(100vw - 2rem, ${placeholder.length * 0.4 + 3.75}rem)` }}
      onChange={(event) => type(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply(text);
        if (event.key !== 'Escape') return;
        if (text !== '') {
          event.stopPropagation();
          setText('');
          apply('');
        }
        leaveSearch();
      }}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={
        text === '' ? null : (
          <CloseButton
            size="sm"
            aria-label="Clear Search"
            onClick={() => {
              setText('');
              apply('');
              input.current?.focus();
            }}
          />
        )
      }
    />
  );
}

const REST_MS = 300;

interface Typing {
  /** Runs the search after 300 ms without another request for one. */
  searchLater(search: () => void): void;
  stop(): void;
}

/** Debounces typing: one search per word instead of one per letter. */
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
