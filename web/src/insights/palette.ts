/**
 * Chart colors. Each has a contrast of at least 3:1 with its scheme's surface, and any two differ for every kind of color
 * blindness; palette.test.ts computes both.
 */
export const CHART_COLOURS = {
  light: { verified: '#076f78', expired: '#cf7d00', failed: '#b51522', open: '#8a90a3' },
  dark: { verified: '#42b8c4', expired: '#ffd978', failed: '#ff7a70', open: '#666e73' },
} as const;

/** The variables that palette.css reads. */
export const chartVariables = (scheme: 'light' | 'dark'): Record<string, string> =>
  Object.fromEntries(Object.entries(CHART_COLOURS[scheme]).map(([name, hex]) => [`--chart-${name}`, hex]));
