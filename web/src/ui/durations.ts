const relative = new Intl.RelativeTimeFormat('en-US', { numeric: 'auto' });
const STEPS = [
  { unit: 'second', ms: 1_000, below: 60_000 },
  { unit: 'minute', ms: 60_000, below: 3_600_000 },
  { unit: 'hour', ms: 3_600_000, below: 86_400_000 },
  { unit: 'day', ms: 86_400_000, below: Number.POSITIVE_INFINITY },
] as const;

/** '3 minutes ago', 'yesterday', 'in 5 minutes' */
export function relativeTime(iso: string, now: number): string {
  const ms = Date.parse(iso) - now;
  const step = STEPS.find(({ below }) => Math.abs(ms) < below);
  return step ? relative.format(Math.trunc(ms / step.ms), step.unit) : '';
}

/** '0.4 s', '27 s', '4 min 10 s', '2 h 5 min' */
export function duration(ms: number): string {
  if (ms < 10_000) return `${Math.round(ms / 100) / 10} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return joined(`${minutes} min`, seconds % 60, 's');
  return joined(`${Math.floor(minutes / 60)} h`, minutes % 60, 'min');
}

const joined = (whole: string, rest: number, unit: string): string =>
  rest === 0 ? whole : `${whole} ${rest} ${unit}`;
