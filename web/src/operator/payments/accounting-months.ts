export interface Period {
  /** the first and the last day, such as 2026-11-01 */
  from: string;
  to: string;
}

const dayOf = (year: number, month: number, day: number): string =>
  new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10);

const names = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** The last months in UTC, the newest first: the current one, and those that are over. */
export const monthsBefore = (now: Date, count: number): { label: string; period: Period }[] =>
  Array.from({ length: count }, (_, n) => {
    const [year, month] = [now.getUTCFullYear(), now.getUTCMonth() - n];
    return {
      label: names.format(Date.UTC(year, month, 1)),
      period: { from: dayOf(year, month, 1), to: dayOf(year, month + 1, 0) },
    };
  });
