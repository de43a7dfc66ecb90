import { signal } from '../api/signal.ts';

const typed = signal<string>();

/** Buffers typed text until an opening dialog's field has the focus, so that no key is lost. */
export function typeAhead(): void {
  if (typed.get() !== undefined) return;
  typed.set('');
  window.addEventListener('keydown', keep, true);
  window.addEventListener('pointerdown', stop, true);
}

/** Returns the buffered text and stops buffering. */
export function takeTyped(): string {
  const text = typed.get() ?? '';
  stop();
  return text;
}

function stop(): void {
  typed.set(undefined);
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
  const text = typed.get() ?? '';
  if (event.key === 'Backspace') typed.set(text.slice(0, -1));
  else if (event.key.length === 1) typed.set(text + event.key);
}
