import { Button, type ButtonProps } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { PAGE_SIZE } from '../api/list.ts';
import { timeZone } from '../ui/dates.ts';
import classes from './Pager.module.css';
import { type Known, pagerTexts } from './pager-texts.ts';

export interface PagerProps {
  page: number;
  count: number;
  noun: string;
  isFiltered: boolean;
  onTurn: (page: number) => void;
  /** whether `count` is exact */
  known?: Known;
  /** after the count */
  note?: ReactNode;
}

/** 'Showing 11-20 of 42 requests (filtered)'; the buttons appear only when there is more than one page. */
export function Pager({ page, count, known = 'exact', note, onTurn, ...words }: PagerProps) {
  const { showing, of, hasNext } = pagerTexts({ page, pageSize: PAGE_SIZE, count, known }, words);
  return (
    <div className={classes.pager}>
      <p className={classes.showing} role="status">
        {showing}
        {note}
      </p>
      <span className={classes.zone}>Times in {timeZone()}</span>
      {count > PAGE_SIZE ? (
        <nav className={classes.turn} aria-label="Pages">
          <Turn
            isLast={page <= 1}
            onTurn={() => onTurn(page - 1)}
            leftSection={<IconChevronLeft size={16} />}
          >
            Previous
          </Turn>
          <span className={classes.of}>{of}</span>
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

/** Keeps the focus on the last page: a disabled button would lose it. */
const Turn = ({ isLast, onTurn, ...button }: ButtonProps & { isLast: boolean; onTurn: () => void }) => (
  <Button
    {...button}
    variant="default"
    size="compact-sm"
    aria-disabled={isLast}
    {...(isLast && { 'data-disabled': true })}
    onClick={() => {
      if (!isLast) onTurn();
    }}
  />
);
