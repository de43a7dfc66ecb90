import type { ReactNode } from 'react';
import classes from './Badge.module.css';

export type Tone = 'blue' | 'violet' | 'green' | 'red' | 'orange' | 'petrol' | 'gray' | 'outline';

/** A coloured label. A plain element, because tables render many. */
export const Badge = ({ tone, icon, children }: { tone: Tone; icon?: ReactNode; children: ReactNode }) => (
  <span className={classes.badge} data-tone={tone}>
    {icon}
    {children}
  </span>
);

/** The cost of a request or verification: red '-2', or grey '0'. */
export const CostBadge = ({ credits }: { credits: number }) =>
  credits > 0 ? <Badge tone="red">-{credits}</Badge> : <Badge tone="gray">0</Badge>;
