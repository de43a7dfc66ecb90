import { format } from './dates.ts';

const day = format({ month: 'short', day: 'numeric', year: 'numeric' });

/** 'Nov 21, 2026' */
export const shortDate = (iso: string): string => day.format(new Date(iso));
