import type { ReactNode } from 'react';
import classes from './Operator.module.css';

/** Names with their values. `isBig` for the numbers that an operator watches. */
export const Facts = ({
  facts,
  isBig,
  isDense,
}: {
  facts: Record<string, ReactNode>;
  isBig?: boolean;
  /** short values, as many in a line as fit */
  isDense?: boolean;
}) => (
  <dl className={`${classes.facts} ${isBig ? classes.big : ''} ${isDense ? classes.dense : ''}`}>
    {Object.entries(facts).map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

export const number = (value: number): string => value.toLocaleString('en-US');

export const share = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${Math.round((100 * part) / whole)} %`;
