import type { ReactNode } from 'react';
import classes from './Badge.module.css';

export type Tone = 'blue' | 'violet' | 'green' | 'red' | 'orange' | 'petrol' | 'gray' | 'outline';

interface Props {
  tone: Tone;
  icon?: ReactNode;
  /** without a ground, where every row has one */
  isQuiet?: boolean;
  children: ReactNode;
}

/** A coloured label. A plain element, because tables render many. */
export const Badge = ({ tone, icon, isQuiet, children }: Props) => (
  <span className={classes.badge} data-tone={tone} data-quiet={isQuiet || undefined}>
    {icon}
    {children}
  </span>
);

/** The cost of a request or verification: red '-2', or grey '0'. */
export const CostBadge = ({ credits }: { credits: number }) =>
  credits > 0 ? (
    <Badge tone="red">{`-${credits}`}</Badge>
  ) : (
    <Badge tone="gray" isQuiet>
      0
    </Badge>
  );
