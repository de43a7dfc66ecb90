import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTyping } from './SearchBox.tsx';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('typing a word searches once, 300 ms after its last letter', () => {
  const searched: string[] = [];
  const typing = createTyping();
  for (const text of ['a', 'al', 'ali', 'alic', 'alice']) {
    typing.searchLater(() => searched.push(text));
    vi.advanceTimersByTime(299);
    expect(searched).toEqual([]);
  }
  vi.advanceTimersByTime(1);
  expect(searched).toEqual(['alice']);
  vi.advanceTimersByTime(10_000);
  expect(searched).toEqual(['alice']);
});

test('a canceled search never runs', () => {
  const searched: string[] = [];
  const typing = createTyping();
  typing.searchLater(() => searched.push('bob'));
  typing.stop();
  vi.advanceTimersByTime(10_000);
  expect(searched).toEqual([]);
});
