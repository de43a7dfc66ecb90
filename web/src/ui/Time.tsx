import { shortDateTime } from './dates.ts';
import { relativeTime } from './durations.ts';

/** A date and time. The tooltip says how long ago it was. */
export const Time = ({ at }: { at: string }) => (
  <time dateTime={at} data-tip={relativeTime(at, Date.now())}>
    {shortDateTime(at)}
  </time>
);
