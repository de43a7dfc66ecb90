import type { ReactNode } from 'react';

/** A framed list of things that the account has, such as sessions and passkeys. */
export const ItemList = ({
  label,
  isTall = false,
  children,
}: {
  label: string;
  /** the list is the screen's subject: it scrolls only if it is very long */
  isTall?: boolean;
  children: ReactNode;
}) => (
  <ul
    className={`mt-0 mb-3.5 grid ${isTall ? 'max-h-200' : 'max-h-88'} list-none overflow-y-auto rounded-10 border border-line p-0 last:mb-0`}
    aria-label={label}
  >
    {children}
  </ul>
);

interface Props {
  icon: ReactNode;
  name: ReactNode;
  /** below the name */
  note: ReactNode;
  /** buttons */
  children?: ReactNode;
}

export const Item = ({ icon, name, note, children }: Props) => (
  <li className="flex flex-wrap items-center gap-x-3 gap-y-2 border-line px-3.5 py-[0.65rem] not-first:border-t [&>svg]:flex-none [&>svg]:text-ink-soft">
    {icon}
    <div className="grid min-w-36 flex-1 gap-[0.1rem]">
      <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-[0.15rem] text-14 font-550 wrap-anywhere">
        {name}
      </span>
      <span className="text-13 wrap-anywhere text-ink-soft">{note}</span>
    </div>
    {/* on a phone, below the text */}
    {children ? <div className="flex flex-wrap gap-2.5 max-sm:basis-full max-sm:ps-8">{children}</div> : null}
  </li>
);
