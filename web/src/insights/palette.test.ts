import { DEFAULT_THEME, mergeMantineTheme } from '@mantine/core';
import { describe, expect, test } from 'vitest';
import { cssVariables, theme } from '../theme/theme.ts';
import { CHART_COLOURS } from './palette.ts';

type Rgb = [number, number, number];
const linear = (hex: string): Rgb =>
  [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as Rgb;

/** Machado, Oliveira and Fernandes, 2009, at full severity; rows of a matrix on linear RGB. */
const VISIONS = {
  'full color vision': [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protanopia: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deuteranopia: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  tritanopia: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
} as const;

function seen(hex: string, vision: readonly number[]): Rgb {
  const rgb = linear(hex);
  return [0, 3, 6].map((row) =>
    Math.min(
      1,
      Math.max(
        0,
        rgb.reduce((sum, value, at) => sum + value * (vision[row + at] ?? 0), 0),
      ),
    ),
  ) as Rgb;
}

/** OKLab, in which equal distances look equally different. */
function oklab([r, g, b]: Rgb): Rgb {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

const luminance = (hex: string): number => {
  const [r, g, b] = linear(hex);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (one: string, other: string): number => {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
};

const variables = cssVariables({ colors: {} } as never);
const surfaces = { light: variables.light['--surface'], dark: variables.dark['--surface'] };

describe.each(['light', 'dark'] as const)('in the %s scheme', (scheme) => {
  const colours = Object.entries(CHART_COLOURS[scheme]);
  const pairs = colours.flatMap(([one, a], n) =>
    colours.slice(n + 1).map(([other, b]) => [one, other, a, b] as const),
  );

  test.each(colours)('the chart color %s contrasts with the surface', (_name, hex) => {
    expect(contrast(hex, surfaces[scheme] ?? '')).toBeGreaterThanOrEqual(3);
  });
  test.each(Object.entries(VISIONS))('any two chart colors differ with %s', (_name, vision) => {
    expect(pairs).toHaveLength(6);
    for (const [one, other, a, b] of pairs) {
      const [x, y] = [oklab(seen(a, vision)), oklab(seen(b, vision))];
      const distance = Math.hypot(...x.map((value, at) => value - (y[at] ?? 0)));
      expect(distance, `${one} and ${other}`).toBeGreaterThan(0.12);
    }
  });
});

test('only filled components have the text color for filled surfaces', () => {
  const textOf = (variant: string) =>
    theme.variantColorResolver?.({ color: 'petrol', variant, theme: mergeMantineTheme(DEFAULT_THEME, theme) })
      .color;
  expect(['filled', 'light', 'outline'].map(textOf)).toEqual([
    'var(--on-filled)',
    'var(--mantine-color-petrol-light-color)',
    'var(--mantine-color-petrol-outline)',
  ]);
});
