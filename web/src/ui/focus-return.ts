/**
 * Where the keyboard goes on after a dialog. A dialog can be opened by a row that is deleted meanwhile, by an item of a menu that has
 * closed, or by another dialog, so the last focused element outside of dialogs and menus counts, together with its place in its list.
 */
interface Origin {
  element: HTMLElement;
  /** the list and the position in it, in case the element is gone */
  list: Element | null;
  position: number;
}

const OVERLAYS = '[role="dialog"], [role="menu"]';
const FOCUSABLE = 'a[href], button:not(:disabled), input:not(:disabled), select, textarea, [tabindex="0"]';

let origin: Origin | undefined;
let openDialogs = 0;

/** Listens for as long as the document lives. */
export function followFocus(): void {
  const note = ({ target }: Event): void => {
    if (!(target instanceof Element) || target.closest(OVERLAYS)) return;
    // Safari does not focus a clicked button.
    const element = target.closest<HTMLElement>(`${FOCUSABLE}, [tabindex="-1"]`);
    if (!element) return;
    const item = element.closest('tr, li');
    const list = item?.parentElement ?? null;
    origin = { element, list, position: list && item ? [...list.children].indexOf(item) : -1 };
  };
  document.addEventListener('focusin', note);
  document.addEventListener('pointerdown', note);
}

/** Call it when a dialog opens. The result, to be called when it closes, returns the focus. */
export function openDialog(): () => void {
  openDialogs++;
  return () => {
    openDialogs--;
    // after a dialog that opens in its place, and after the list has rendered
    setTimeout(() => {
      if (openDialogs === 0) returnTo(origin)?.focus({ preventScroll: true });
    }, 20);
  };
}

function returnTo(from: Origin | undefined): HTMLElement | null {
  if (from && isUsable(from.element)) return from.element;
  if (from?.list?.isConnected) {
    const { children } = from.list;
    const neighbour = children[Math.min(from.position, children.length - 1)];
    const control = neighbour?.matches('[tabindex="0"]') ? neighbour : neighbour?.querySelector(FOCUSABLE);
    if (control instanceof HTMLElement) return control;
  }
  return document.getElementById('content');
}

const isUsable = (element: HTMLElement): boolean =>
  element.isConnected && element.getClientRects().length > 0 && !element.matches(':disabled');
