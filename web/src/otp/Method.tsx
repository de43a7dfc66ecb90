import type { Verification } from '@sixdigit/contract/otp.ts';
import { labelOf } from './channel.ts';
import classes from './Recipient.module.css';

/** '2 segments', if an SMS took more than one. */
export const segmentsNote = (segments: number | null): string | undefined =>
  segments !== null && segments > 1 ? `${segments} segments` : undefined;

/** A table cell with the channel, and the segments of a long SMS. */
export const Method = ({ channel, segments }: Pick<Verification, 'channel' | 'segments'>) => (
  <span>
    {labelOf(channel)}
    {segmentsNote(segments) ? <span className={classes.key}>{segmentsNote(segments)}</span> : null}
  </span>
);
