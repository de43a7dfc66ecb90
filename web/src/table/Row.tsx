import type { KeyboardEvent, MouseEvent, ReactNode } from 'react';

interface Props {
  onOpen: (() => void) | undefined;
  children: ReactNode;
}

const CONTROLS = 'a, button, input, [role="menu"], [role="dialog"]';

/** A row. If it opens, a click anywhere on it or Enter opens it, and the arrow keys move between rows. */
export function Row({ onOpen, children }: Props) {
  if (!onOpen) return <tr>{children}</tr>;
  return (
    <tr
      className="cursor-pointer hover:bg-canvas focus-visible:[outline-offset:-2px]"
      tabIndex={0}
      onClick={({ target }: MouseEvent) => {
        // Buttons and links inside the row handle their own clicks; selecting text is not a click.
        if ((target as Element).closest(CONTROLS)) return;
        if (window.getSelection()?.isCollapsed === false) return;
        onOpen();
      }}
      onKeyDown={(event) => {
        if (event.target !== event.currentTarget) return;
        if (event.key === 'Enter' || event.key === ' ') {
          event.preventDefault();
          onOpen();
        }
        moveByArrow(event);
      }}
    >
      {children}
    </tr>
  );
}

const siblings = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' } as const;

function moveByArrow(event: KeyboardEvent<HTMLTableRowElement>): void {
  const sibling = siblings[event.key as keyof typeof siblings];
  if (!sibling) return;
  event.preventDefault();
  (event.currentTarget[sibling] as HTMLElement | null)?.focus();
}
