import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isToBeShown, tooltipTiming } from './Tooltips.tsx';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const [copy, edit] = [{ id: 'copy' }, { id: 'edit' }] as unknown as [Element, Element];

test('a tooltip opens after 700 ms, and not at all if the pointer leaves before', () => {
  const shown: (Element | undefined)[] = [];
  const timing = tooltipTiming((target) => shown.push(target));
  timing.enter(copy);
  vi.advanceTimersByTime(699);
  expect(shown).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(shown).toEqual([copy]);
  timing.leave();
  expect(shown).toEqual([copy, undefined]);
  vi.advanceTimersByTime(1_000);
  timing.enter(edit);
  vi.advanceTimersByTime(699);
  timing.leave();
  vi.advanceTimersByTime(1_000);
  expect(shown).toEqual([copy, undefined]);
});

test('a tooltip opens immediately within 300 ms of another', () => {
  const shown: (Element | undefined)[] = [];
  const timing = tooltipTiming((target) => shown.push(target));
  timing.enter(copy);
  vi.advanceTimersByTime(700);
  timing.leave();
  vi.advanceTimersByTime(299);
  timing.enter(edit);
  expect(shown).toEqual([copy, undefined, edit]);
  timing.leave();
  vi.advanceTimersByTime(301);
  timing.enter(copy);
  expect(shown).toEqual([copy, undefined, edit, undefined]);
});

test('a tooltip whose code loads after 700 ms opens immediately, and otherwise when they have passed', () => {
  const shown: (Element | undefined)[] = [];
  const timing = tooltipTiming((target) => shown.push(target));
  timing.enter(copy, 700);
  expect(shown).toEqual([copy]);
  timing.leave();
  vi.advanceTimersByTime(301);
  timing.enter(edit, 600);
  vi.advanceTimersByTime(99);
  expect(shown).toEqual([copy, undefined]);
  vi.advanceTimersByTime(1);
  expect(shown).toEqual([copy, undefined, edit]);
});

test('a button has no tooltip while its popover is open', () => {
  const popover = { isConnected: true, ariaHasPopup: 'dialog' };
  expect(isToBeShown({ ...popover, ariaExpanded: 'false' })).toBe(true);
  expect(isToBeShown({ ...popover, ariaExpanded: 'true' })).toBe(false);
  expect(isToBeShown({ isConnected: true, ariaHasPopup: null, ariaExpanded: 'true' })).toBe(true);
});
