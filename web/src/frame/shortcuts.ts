import { useEffectEvent, useLayoutEffect } from 'react';
import { focusSearch, hasSingleKeys, moveThroughRows } from '../table/list-keys.ts';
import { isDialogOpen } from '../ui/focus-return.ts';

export const isApple = /Mac|iP(hone|ad|od)/.test(navigator.platform);

const TYPED = 'input, textarea, select, [contenteditable="true"]';

interface Opening {
  openPalette: () => void;
  openHelp: () => void;
}

/** Handles the shortcuts of the signed-in screens. Text fields, dialogs and menus keep their keys. */
export function useShortcuts(opening: Opening): void {
  const press = useEffectEvent((event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.isComposing || event.altKey) return;
    if (isDialogOpen() || document.querySelector('[role="menu"]')) return;
    const act = event.ctrlKey || event.metaKey ? ofCombination(event, opening) : ofKey(event, opening);
    if (!act) return;
    event.preventDefault();
    act();
  });
  // In the step that draws the screen: an effect after the first frame would miss the keys that are pressed meanwhile.
  useLayoutEffect(() => {
    const listener = (event: KeyboardEvent): void => press(event);
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);
}

const ofCombination = ({ key, shiftKey }: KeyboardEvent, { openPalette }: Opening) =>
  key.toLowerCase() === 'k' && !shiftKey ? openPalette : undefined;

function ofKey({ key, target }: KeyboardEvent, { openPalette, openHelp }: Opening): (() => void) | undefined {
  if (!hasSingleKeys() || (target instanceof Element && target.closest(TYPED))) return undefined;
  if (key === '/') return () => void (focusSearch() || openPalette());
  if (key === '?') return openHelp;
  if (key === 'j') return () => moveThroughRows(1);
  if (key === 'k') return () => moveThroughRows(-1);
  return undefined;
}
