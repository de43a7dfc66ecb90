import type { ReactNode } from 'react';

/** A row in two lines: the title with a badge, and details with a number. */
export interface Compact {
  title: ReactNode;
  /** the title may take several lines */
  isLong?: boolean;
  badge?: ReactNode;
  /** joined by dots in one line, which is cut at its end */
  details: readonly (ReactNode | undefined | null)[];
  /** further details, for which phones have no room */
  more?: readonly (ReactNode | undefined | null)[];
  /** the first detail is cut instead, at its start */
  isFirstCut?: boolean;
  end?: ReactNode;
  /** buttons next to both lines */
  action?: ReactNode;
}

const isShown = (detail: ReactNode): boolean => detail !== undefined && detail !== null && detail !== '';

export function CompactRow({
  title,
  isLong = false,
  badge,
  details,
  more = [],
  isFirstCut,
  end,
  action,
}: Compact) {
  const shown = details.filter(isShown);
  return (
    <div className="flex min-h-16 items-center gap-2 px-4 py-2">
      <div className="grid min-w-0 flex-1 grid-cols-1 gap-[0.2rem]">
        <div className="flex min-h-6 items-center justify-between gap-3 [&>*+*]:flex-none">
          <span className={`min-w-0 flex-1 text-15 font-550 ${isLong ? 'wrap-anywhere' : 'truncate'}`}>
            {title}
          </span>
          {badge}
        </div>
        <div className="flex min-h-6 items-center justify-between gap-3 [&>*+*]:flex-none">
          <span
            className={`min-w-0 flex-1 text-13 text-ink-soft [&_wbr]:hidden ${isFirstCut ? 'flex *:first:truncate *:first:[direction:rtl] *:not-first:flex-none' : 'truncate'}`}
          >
            {[...shown, ...more.filter(isShown)].map((detail, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the details of a row have fixed places
              <span key={index} className={index < shown.length ? '' : 'max-sm:hidden'}>
                {index > 0 ? '\u00a0· ' : null}
                <bdi>{detail}</bdi>
              </span>
            ))}
          </span>
          {end}
        </div>
      </div>
      {action}
    </div>
  );
}
