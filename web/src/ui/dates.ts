/** Date formats of the product: en-US, in the browser's time zone. */
const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-US', options);

const short = format({ month: 'short', day: 'numeric', year: 'numeric', hour: '2-digit', minute: '2-digit' });
const full = format({ dateStyle: 'medium', timeStyle: 'medium' });
const long = format({ month: 'long', day: 'numeric', year: 'numeric' });
const time = format({ timeStyle: 'medium' });
const parts = format({
  month: 'short',
  day: '2-digit',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

const reading =
  (written: (date: Date) => string) =>
  (iso: string | null | undefined, otherwise = ''): string => {
    if (!iso) return otherwise;
    const date = new Date(iso);
    return Number.isNaN(date.getTime()) ? otherwise : written(date);
  };

/** 'Nov 21, 2026, 03:50 AM' */
export const shortDateTime = reading((date) => short.format(date));
/** 'Nov 21, 2026, 3:50:12 AM' */
export const fullDateTime = reading((date) => full.format(date));
/** '3:50:12 AM' */
export const timeOfDay = reading((date) => time.format(date));
/** 'November 21, 2026' */
export const longDate = reading((date) => long.format(date));
/** 'Nov 21, 2026 03:50', the format 'MMM dd, yyyy HH:mm' */
export const paymentDateTime = reading((date) => {
  const of = Object.fromEntries(parts.formatToParts(date).map(({ type, value }) => [type, value]));
  return `${of.month} ${of.day}, ${of.year} ${of.hour}:${of.minute}`;
});

/** 'UTC', 'America/New York' */
export const timeZone = (): string => short.resolvedOptions().timeZone.replaceAll('_', ' ');
