/** A time to wait: '5 seconds', '15 minutes', '24 hours', rounded up. */
export function durationText(seconds: number): string {
  if (seconds < 120) return count(Math.max(1, Math.ceil(seconds)), 'second');
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? count(minutes, 'minute') : count(Math.ceil(minutes / 60), 'hour');
}

const count = (n: number, unit: string): string => `${n} ${unit}${n === 1 ? '' : 's'}`;
