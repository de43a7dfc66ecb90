import { shortDateTime } from './dates.ts';

/** A date and time. The tooltip says how long ago it was. */
export const Time = ({ at }: { at: string }) => (
  <time dateTime={at} data-tip="">
    {shortDateTime(at)}
  </time>
);
