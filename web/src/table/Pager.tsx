import { Button, type ButtonProps, Loader } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { PAGE_SIZE } from '../api/list.ts';
import { timeZone } from '../ui/dates.ts';
import type { CountQuery } from './count.ts';
import classes from './table.module.css';

export interface PagerProps {
  page: number;
  count: number;
  noun: string;
  isFiltered: boolean;
  onTurn: (page: number) => void;
  /** false if no row shows a time of day */
  hasTimes?: boolean;
  /** whether `count` is exact */
  known?: Known;
  /** after the count */
  note?: ReactNode;
  /** false below rows that have frames of their own */
  isFramed?: boolean;
}

/** 'Showing 11-20 of 42 requests (filtered)'; the buttons appear only when there is more than one page. */
export function Pager({
  page,
  count,
  known = 'exact',
  note,
  onTurn,
  hasTimes = true,
  isFramed = true,
  ...words
}: PagerProps) {
  const { showing, of, hasNext } = pagerTexts({ page, pageSize: PAGE_SIZE, count, known }, words);
  return (
    <div
      className={`${classes.foot} flex flex-wrap items-center gap-x-4 gap-y-2 ${isFramed ? 'border-t border-line px-4' : ''} py-[0.7rem] text-13 text-ink-soft tabular-nums`}
    >
      <div className="flex flex-[1_1_11rem] flex-wrap gap-x-4">
        <p className="m-0 flex flex-wrap items-center gap-x-2 sm:whitespace-nowrap" role="status">
          {showing}
          {note}
        </p>
        {hasTimes ? <span>Times in {timeZone()}</span> : null}
      </div>
      {count > PAGE_SIZE ? (
        <nav
          className="ms-auto flex items-center gap-3 max-sm:w-full max-sm:justify-between"
          aria-label="Pages"
        >
          <Turn
            isLast={page <= 1}
            onTurn={() => onTurn(page - 1)}
            leftSection={<IconChevronLeft size={16} />}
          >
            Previous
          </Turn>
          <span className="whitespace-nowrap">{of}</span>
          <Turn
            isLast={!hasNext}
            onTurn={() => onTurn(page + 1)}
            rightSection={<IconChevronRight size={16} />}
          >
            Next
          </Turn>
        </nav>
      ) : null}
    </div>
  );
}

/** The pager for a page that arrived before its count. */
export function CountingPager({ counting, ...pager }: PagerProps & { counting: CountQuery }) {
  const { data, isError } = useQuery(counting);
  // New rows may have arrived since the count.
  if (data !== undefined) return <Pager {...pager} count={Math.max(data, pager.count)} />;
  if (isError) return <Pager {...pager} known="unavailable" note={<span>Exact count unavailable</span>} />;
  return (
    <Pager
      {...pager}
      known="counting"
      note={<Loader size={12} color="gray" aria-label="Counting" role="img" />}
    />
  );
}

/** On the last page, the button is `aria-disabled` instead of `disabled`, so that it keeps the focus. */
const Turn = ({ isLast, onTurn, ...button }: ButtonProps & { isLast: boolean; onTurn: () => void }) => (
  <Button
    {...button}
    variant="default"
    size="compact-sm"
    aria-disabled={isLast}
    {...(isLast && { 'data-disabled': true, className: 'border-transparent bg-transparent' })}
    onClick={() => {
      if (!isLast) onTurn();
    }}
  />
);

/** Whether the number of rows is exact, a lower bound while the exact number loads, or only a lower bound. */
type Known = 'exact' | 'counting' | 'unavailable';

interface Counted {
  page: number;
  pageSize: number;
  count: number;
  known: Known;
}

const whole = (value: number): string => value.toLocaleString('en-US');

/** 'Showing 11-20 of 42 requests (filtered)' and 'Page 2 of 5' */
export function pagerTexts(
  { page, pageSize, count, known }: Counted,
  { noun, isFiltered }: { noun: string; isFiltered: boolean },
): { showing: string; of: string; hasNext: boolean } {
  const first = (page - 1) * pageSize + 1;
  const last = Math.min(page * pageSize, count);
  // The screens of verifications say 'OTP(s)' whatever the number.
  const things = noun.replace(/([a-z])\(s\)/, count === 1 ? '$1' : '$1s');
  const isExact = known === 'exact';
  const all = isExact ? whole(count) : `more than ${whole(count - 1)}`;
  const pages = isExact
    ? ` of ${whole(Math.max(1, Math.ceil(count / pageSize)))}`
    : known === 'counting'
      ? ' of …'
      : '';
  return {
    showing: `Showing ${whole(first)}-${whole(last)} of ${all} ${things}${isFiltered ? ' (filtered)' : ''}`,
    of: `Page ${whole(page)}${pages}`,
    hasNext: page * pageSize < count,
  };
}
