import type { Verification } from '#contract/otp.ts';
import { labelOf } from './channel.ts';
import classes from './Recipient.module.css';

/** In a cell of a list: the channel, and how many segments an SMS took where it was more than one. */
export const Method = ({ channel, segments }: Pick<Verification, 'channel' | 'segments'>) => (
  <span>
    {labelOf(channel)}
    {segments !== null && segments > 1 ? <span className={classes.key}>{segments} segments</span> : null}
  </span>
);
