const WIDTH = 96;
const HEIGHT = 28;
const INSET = 2;

/** A small line without axes. Missing values leave gaps; the numbers are elsewhere, so screen readers skip it. */
export function Sparkline({ values }: { values: readonly (number | null)[] }) {
  const known = values.filter((value) => value !== null);
  const top = Math.max(...known, 0);
  if (known.length < 2 || top === 0) return null;
  const x = (n: number) => INSET + (n / (values.length - 1)) * (WIDTH - 2 * INSET);
  const y = (value: number) => HEIGHT - INSET - (value / top) * (HEIGHT - 2 * INSET);
  const line = values
    .map((value, n) =>
      value === null ? '' : `${values[n - 1] == null ? 'M' : 'L'}${x(n).toFixed(1)} ${y(value).toFixed(1)}`,
    )
    .join('');
  return (
    <svg width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden>
      <path
        d={line}
        fill="none"
        stroke="currentColor"
        strokeWidth={1.75}
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
