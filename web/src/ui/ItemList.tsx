import { Button } from '@mantine/core';
import { Children, type ReactNode, useState } from 'react';

const FIRST = 4;

/** A framed list of things that the account has, such as sessions and passkeys. A long one is folded after its first rows. */
export function ItemList({ label, children }: { label: string; children: ReactNode }) {
  const [isAll, setAll] = useState(false);
  const rows = Children.toArray(children);
  const isFolded = !isAll && rows.length > FIRST + 1;
  return (
    <div className="mb-3.5 grid justify-items-start gap-3 last:mb-0">
      <ul
        className="m-0 grid w-full list-none grid-cols-1 rounded-10 border border-line p-0"
        aria-label={label}
      >
        {isFolded ? rows.slice(0, FIRST) : rows}
      </ul>
      {isFolded ? (
        <Button variant="default" size="compact-sm" onClick={() => setAll(true)}>
          Show All {rows.length}
        </Button>
      ) : null}
    </div>
  );
}

interface Props {
  icon: ReactNode;
  name: ReactNode;
  /** below the name */
  note: ReactNode;
  /** buttons; on phones below the text */
  children?: ReactNode;
  /** has one short button, which is beside the text on phones too */
  isShort?: boolean;
}

export const Item = ({ icon, name, note, children, isShort }: Props) => (
  <li className="flex flex-wrap items-center gap-x-3 gap-y-2 border-line px-3.5 py-[0.65rem] max-sm:gap-x-2 max-sm:px-3 not-first:border-t [&>svg]:flex-none [&>svg]:text-ink-soft">
    {icon}
    <div className="grid min-w-36 flex-1 gap-[0.1rem]">
      <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-[0.15rem] text-14 font-550 wrap-anywhere">
        {name}
      </span>
      <span className="text-13 wrap-anywhere text-ink-soft">{note}</span>
    </div>
    {children ? (
      <div className={`flex flex-wrap gap-2.5 ${isShort ? '' : 'max-sm:basis-full max-sm:ps-7'}`}>
        {children}
      </div>
    ) : null}
  </li>
);
