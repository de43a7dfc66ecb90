import { Button, VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { whole } from './figures.ts';
import classes from './Insights.module.css';
import type { ListAddress } from './list-address.ts';

export interface BarRow {
  id: string;
  name: string;
  value: number;
  /** in the last column, such as a share */
  note?: string;
  /** the color; default: that of verified sends */
  part?: string;
  address?: ListAddress;
}

const SHOWN = 6;
const row = `${classes.columns} ${classes.row} grid items-baseline gap-x-3 rounded-8 px-2.5 text-14 text-ink no-underline tabular-nums`;

interface Props {
  rows: readonly BarRow[];
  /** the value of a full bar; default: the largest value */
  most?: number;
  unit: string;
  /** for the names, the values and the notes */
  headings: readonly [string, string, string];
}

/** A bar chart whose rows open the list behind them. */
export function BarList({ rows, most, unit, headings }: Props) {
  const [isWhole, setIsWhole] = useState(false);
  const longest = most ?? Math.max(1, ...rows.map(({ value }) => value));
  const shown = isWhole ? rows : rows.slice(0, SHOWN);
  return (
    <>
      <div className={`${classes.columns} grid gap-3 pb-1 text-12 text-ink-soft`} aria-hidden>
        {headings.map((heading) => (
          <span key={heading} className="last:text-right">
            {heading}
          </span>
        ))}
      </div>
      <ul className="-mx-2.5 my-0 grid list-none gap-0.5 p-0">
        {shown.map(({ id, name, value, note, part, address }) => {
          const content = (
            <>
              <span className="font-500 wrap-anywhere group-hover:underline">{name}</span>
              <span className="font-600">
                {whole(value)}
                <VisuallyHidden> {unit}</VisuallyHidden>
              </span>
              <span className="text-right text-13 text-ink-soft">
                {note}
                <VisuallyHidden> {headings[2].toLowerCase()}</VisuallyHidden>
              </span>
              <span className="col-span-full h-1.5 rounded-4 bg-sunken group-hover:bg-line" aria-hidden>
                {value > 0 ? (
                  <span
                    className={`${classes.part} block h-full`}
                    data-part={part}
                    style={{ width: `${(value / longest) * 100}%` }}
                  />
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
                  className={`group hover:bg-sunken ${row}`}
                >
                  {content}
                </Link>
              ) : (
                <div className={row}>{content}</div>
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
