let typed: string | undefined;

/** Buffers typed text until an opening dialog's field has the focus, so that no key is lost. */
export function typeAhead(): void {
  if (typed !== undefined) return;
  typed = '';
  window.addEventListener('keydown', keep, true);
  window.addEventListener('pointerdown', stop, true);
}

/** Returns the buffered text and stops buffering. */
export function takeTyped(): string {
  const text = typed ?? '';
  stop();
  return text;
}

function stop(): void {
  typed = undefined;
  window.removeEventListener('keydown', keep, true);
  window.removeEventListener('pointerdown', stop, true);
}

function keep(event: KeyboardEvent): void {
  if (event.key === 'Escape') {
    stop();
    return;
  }
  const isCombination = event.ctrlKey || event.metaKey || event.altKey;
  if (event.isComposing || (isCombination && !event.getModifierState('AltGraph'))) return;
  event.preventDefault();
  event.stopPropagation();
  if (event.key === 'Backspace') typed = typed?.slice(0, -1);
  else if (event.key.length === 1) typed += event.key;
}
