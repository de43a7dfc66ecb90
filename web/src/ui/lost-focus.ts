import { FOCUSABLE } from './focus-return.ts';

/** A call that a button starts takes at most this long, as a rule. */
const WATCH_MS = 10_000;

/**
 * A button that has done its work can go, such as "Try Again" or "Clear Filters", and with it the keyboard's focus. It goes on in what
 * takes the button's place, in a dialog within that dialog. A dialog that closes, and a menu, return the focus on their own. Listens for
 * as long as the document lives.
 */
export function keepFocus(): void {
  const follow = (target: EventTarget | null): void => {
    if (!(target instanceof Element) || target.closest('[role="menu"]')) return;
    const dialog = target.closest<HTMLElement>('[role="dialog"]');
    const around = ancestorsOf(target);
    const end = (): void => {
      clearTimeout(timer);
      changes.disconnect();
    };
    const changes = new MutationObserver(() => {
      if (target.isConnected) return;
      end();
      if (document.activeElement !== document.body || (dialog && !dialog.isConnected)) return;
      placeIn(around, dialog ?? document.getElementById('content'))?.focus({ preventScroll: true });
    });
    const timer = setTimeout(end, WATCH_MS);
    changes.observe(document.body, { childList: true, subtree: true });
  };
  // Before the press does its work. The keyboard presses without a pointer's click.
  const pressed = ({ target, detail }: MouseEvent): void => {
    if (detail === 0) follow(target);
  };
  document.addEventListener('click', pressed, true);
  document.addEventListener('submit', ({ target }) => follow(target), true);
}

function ancestorsOf(element: Element): Element[] {
  const parent = element.parentElement;
  return parent ? [parent, ...ancestorsOf(parent)] : [];
}

/** The first control in the smallest part of the screen that is left, or the screen if it is another one. */
function placeIn(around: readonly Element[], screen: HTMLElement | null): HTMLElement | null {
  const left = around.find((element) => element.isConnected);
  const control =
    left !== screen && screen?.contains(left ?? null) ? left?.querySelector<HTMLElement>(FOCUSABLE) : null;
  return control ?? screen;
}
