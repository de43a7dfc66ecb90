import type { ReactNode } from 'react';
import classes from './Operator.module.css';

/** Names with their values. `isBig` for the numbers that an operator watches. */
export const Facts = ({
  facts,
  isBig,
  isDense,
  lastIsWide,
}: {
  facts: Record<string, ReactNode>;
  isBig?: boolean | undefined;
  /** for short values: as many per line as fit */
  isDense?: boolean;
  /** the last value is a long text */
  lastIsWide?: boolean | undefined;
}) => (
  <dl
    className={`${classes.facts} ${isBig ? classes.big : ''} ${isDense ? classes.dense : ''} ${lastIsWide ? classes.lastIsWide : ''} m-0 grid gap-x-6 gap-y-4`}
  >
    {Object.entries(facts).map(([name, value]) => (
      <div key={name} className="min-w-0">
        <dt className="text-13 text-ink-soft">{name}</dt>
        <dd
          className={`ms-0 mt-[0.1rem] mb-0 tabular-nums wrap-anywhere ${isBig ? 'text-22 font-650' : 'font-550'}`}
        >
          {value}
        </dd>
      </div>
    ))}
  </dl>
);

export const number = (value: number): string => value.toLocaleString('en-US');
