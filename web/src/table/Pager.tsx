import { Button, type ButtonProps } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { timeZone } from '../ui/dates.ts';
import classes from './Pager.module.css';

export const PAGE_SIZE = 10;

interface Props {
  page: number;
  count: number;
  noun: string;
  isFiltered: boolean;
  onTurn: (page: number) => void;
}

/** 'Showing 11-20 of 42 requests (filtered)'; the buttons appear only when there is more than one page. */
export function Pager({ page, count, noun, isFiltered, onTurn }: Props) {
  const pages = Math.max(1, Math.ceil(count / PAGE_SIZE));
  const first = (page - 1) * PAGE_SIZE + 1;
  const last = Math.min(page * PAGE_SIZE, count);
  return (
    <div className={classes.pager}>
      <p className={classes.showing} role="status">
        Showing {first}-{last} of {count} {noun}
        {isFiltered ? ' (filtered)' : ''}
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
          <span className={classes.of}>
            Page {page} of {pages}
          </span>
          <Turn
            isLast={page >= pages}
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
