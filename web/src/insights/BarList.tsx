import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import classes from './BarList.module.css';
import { whole } from './figures.ts';
import type { ListAddress } from './list-address.ts';

export interface BarRow {
  id: string;
  name: string;
  value: number;
  /** in the last column, such as a share */
  note?: string;
  /** the colour; without one, the accent */
  part?: string;
  address?: ListAddress;
}

const SHOWN = 6;

interface Props {
  rows: readonly BarRow[];
  /** the value of a whole bar; otherwise the longest one's */
  most?: number;
  unit: string;
  /** of the names, of the values, which the bars show, and of the notes */
  headings: readonly [string, string, string];
}

/** Bars below their names and values. Each opens the list behind it. */
export function BarList({ rows, most, unit, headings }: Props) {
  const [isWhole, setIsWhole] = useState(false);
  const longest = most ?? Math.max(1, ...rows.map(({ value }) => value));
  const shown = isWhole ? rows : rows.slice(0, SHOWN);
  return (
    <>
      <div className={classes.headings} aria-hidden>
        {headings.map((heading) => (
          <span key={heading}>{heading}</span>
        ))}
      </div>
      <ul className={classes.list}>
        {shown.map(({ id, name, value, note, part, address }) => {
          const content = (
            <>
              <span className={classes.name}>{name}</span>
              <span className={classes.value}>
                {whole(value)}
                <span className={classes.hidden}> {unit}</span>
              </span>
              <span className={classes.note}>
                {note}
                <span className={classes.hidden}> {headings[2].toLowerCase()}</span>
              </span>
              <span className={classes.track} aria-hidden>
                {value > 0 ? (
                  <span data-part={part} style={{ width: `${(value / longest) * 100}%` }} />
                ) : null}
              </span>
            </>
          );
          return (
            <li key={id}>
              {address ? (
                <Link
                  to={address.to}
                  params={address.params as never}
                  search={address.search as never}
                  className={classes.row ?? ''}
                >
                  {content}
                </Link>
              ) : (
                <div className={classes.row}>{content}</div>
              )}
            </li>
          );
        })}
      </ul>
      {rows.length > SHOWN ? (
        <Button variant="subtle" color="gray" size="compact-sm" onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? 'Show Fewer' : `Show All ${rows.length}`}
        </Button>
      ) : null}
    </>
  );
}
