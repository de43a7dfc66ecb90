/**
 * Where the focus returns when a dialog closes. Above a dialog that stays open, it returns to the control that opened it.
 * Otherwise that control may be gone (a deleted row, an item of a closed menu, a dialog that was replaced), so the focus
 * returns to the last focused element outside dialogs and menus, or to its neighbor in its list.
 */

import { signal } from '../api/signal.ts';

interface Origin {
  element: HTMLElement;
  /** the list and the position in it, in case the element is gone */
  list: Element | null;
  position: number;
}

export const OVERLAYS = '[role="dialog"], [role="menu"]';
export const FOCUSABLE =
  'a[href], button:not(:disabled), input:not(:disabled), select, textarea, [tabindex="0"]';

const origin = signal<Origin>();
/** The last focused element in a dialog or a menu. */
const inner = signal<HTMLElement>();
/** The open dialogs, the topmost last. */
const open = signal<readonly object[]>([]);

/** Calls `changed` whenever a dialog opens or closes. Returns the function that ends this. */
export const watchDialogs = open.follow;

/** A dialog that is closing is not open, although its element may stay in the document for a while. */
export const isDialogOpen = (): boolean => open.get().length > 0;

/** Whether no dialog was opened after this one. */
export const isOnTop = (dialog: object): boolean =>
  !open.get().includes(dialog) || open.get().at(-1) === dialog;

/** Listens for as long as the document lives. */
export function followFocus(): void {
  const note = ({ target }: Event): void => {
    if (!(target instanceof Element)) return;
    // Safari does not focus a clicked button.
    const element = target.closest<HTMLElement>(`${FOCUSABLE}, [tabindex="-1"]`);
    if (!element) return;
    if (target.closest(OVERLAYS)) {
      inner.set(element);
      return;
    }
    returnFocusTo(element);
  };
  document.addEventListener('focusin', note);
  document.addEventListener('pointerdown', note);
}

/** The element outside dialogs that gets the focus when the last dialog closes. */
export function returnFocusTo(element: HTMLElement): void {
  const item = element.closest('tr, li');
  const list = item?.parentElement ?? null;
  origin.set({ element, list, position: list && item ? [...list.children].indexOf(item) : -1 });
}

/** Call it when a dialog opens. The result, to be called when it closes, returns the focus. */
export function openDialog(own: object = {}): () => void {
  const below = open.get().at(-1);
  const opener = below && inner.get();
  open.set([...open.get(), own]);
  return () => {
    open.set(open.get().filter((one) => one !== own));
    // after a dialog has opened in its place, and after the list has rendered
    setTimeout(() => {
      if (open.get().length === 0) returnTo(origin.get())?.focus({ preventScroll: true });
      else if (opener && open.get().at(-1) === below && isUsable(opener))
        opener.focus({ preventScroll: true });
    }, 20);
  };
}

function returnTo(from: Origin | undefined): HTMLElement | null {
  if (from && isUsable(from.element)) return from.element;
  if (from?.list?.isConnected) {
    const { children } = from.list;
    // An item without controls, such as a completed step, passes the focus on to the next one.
    for (const neighbour of [...children].slice(Math.min(from.position, children.length - 1))) {
      const control = neighbour.matches('[tabindex="0"]') ? neighbour : neighbour.querySelector(FOCUSABLE);
      if (control instanceof HTMLElement) return control;
    }
  }
  return document.getElementById('content');
}

const isUsable = (element: HTMLElement): boolean =>
  element.isConnected && element.getClientRects().length > 0 && !element.matches(':disabled');

/** Longer than most calls that a button starts. */
const WATCH_MS = 10_000;

/**
 * Some buttons, such as "Try Again" or "Clear Filters", disappear after they have worked. The keyboard's focus then moves to
 * what takes the button's place, within the same dialog if there is one. Dialogs and menus that close return the focus
 * themselves. Listens for as long as the document lives.
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
  // Runs before the button's own handler. A press by keyboard has no click count.
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

/** The first control in the smallest part of the screen that still exists, or the screen itself if it was replaced. */
function placeIn(around: readonly Element[], screen: HTMLElement | null): HTMLElement | null {
  const left = around.find((element) => element.isConnected);
  const control =
    left !== screen && screen?.contains(left ?? null) ? left?.querySelector<HTMLElement>(FOCUSABLE) : null;
  return control ?? screen;
}
