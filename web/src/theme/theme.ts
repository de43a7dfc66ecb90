/**
 * The theme: warm paper and ink, one petrol accent, five status colors. Every palette has the same ten lightness values (OKLCH), so
 * that white text on shade 7 and dark text on shade 4 have a contrast of at least 4.5:1.
 */

import {
  ActionIcon,
  Anchor,
  Button,
  type CheckboxProps,
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  Input,
  type MantineColorsTuple,
  type MenuProps,
  type NativeSelectProps,
  type NumberInputProps,
} from '@mantine/core';
import { IconSelector } from '@tabler/icons-react';
import { createElement } from 'react';

type Palette = MantineColorsTuple;
// biome-ignore format: one palette a line
const palettes: Record<string, Palette> = {
  petrol: ['#eef9fa', '#def1f3', '#c2e6ea', '#9fd6dc', '#72c3cd', '#42a9b4', '#188c96', '#076f78', '#035961', '#004248'],
  blue: ['#f2f7fe', '#e2eefe', '#c9e0fe', '#a8ceff', '#7fb7ff', '#4699fe', '#247bdd', '#0260bb', '#004c99', '#003873'],
  violet: ['#f8f5ff', '#efe9fe', '#e3d6fe', '#d3bdfe', '#c29ffe', '#ab79f5', '#8e5cd5', '#743fb7', '#5e2f98', '#462073'],
  green: ['#effaf1', '#def3e3', '#c3e9cc', '#a2dbb0', '#76ca8e', '#48b06c', '#239350', '#01763a', '#005f2d', '#004620'],
  red: ['#fef4f3', '#fee7e4', '#ffd1cd', '#feb5ae', '#ff9088', '#f75d59', '#d53c3d', '#b51522', '#960216', '#71000d'],
  orange: ['#fff5ee', '#fee8da', '#fed4b9', '#f9bb92', '#f29d61', '#dd7b2b', '#bb6003', '#954b01', '#793c00', '#5a2a00'],
  gray: ['#fcfaf6', '#f5f3ef', '#eae8e3', '#dbd9d5', '#bfbdb9', '#9d9b97', '#706e6b', '#585653', '#3e3d3a', '#282623'],
  dark: ['#dfeaed', '#bcc6c9', '#a0aaac', '#6d7679', '#566063', '#323b3d', '#242c2e', '#151d1f', '#0e1517', '#070f10'],
};

export const theme = createTheme({
  colors: palettes,
  primaryColor: 'petrol',
  primaryShade: { light: 7, dark: 4 },
  // white on the dark shades of light mode, ink on the light shades of dark mode
  variantColorResolver: (input) => {
    const colours = defaultVariantColorsResolver(input);
    return input.variant === 'filled' ? { ...colours, color: 'var(--on-filled)' } : colours;
  },
  black: '#1c2224',
  // typeface.css declares it, and the fallback fonts while it loads
  fontFamily:
    "Figtree, 'Figtree for Windows', 'Figtree for macOS', 'Figtree for Android', 'Figtree for Arial', 'Figtree for DejaVu', system-ui, sans-serif",
  fontFamilyMonospace:
    "ui-monospace, 'SF Mono', 'Cascadia Mono', 'Noto Sans Mono', 'DejaVu Sans Mono', monospace",
  headings: { fontWeight: '650', sizes: { h1: { fontSize: '1.625rem', lineHeight: '1.25' } } },
  defaultRadius: 'md',
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
  components: {
    // Underlined, because color alone must not mark a link.
    Anchor: Anchor.extend({ defaultProps: { underline: 'always' } }),
    Button: Button.extend({ defaultProps: { loaderProps: { type: 'dots' } } }),
    // Configured by name instead of `extend`, so that the first screen does not load the component.
    Checkbox: { defaultProps: { iconColor: 'var(--on-filled)' } satisfies CheckboxProps },
    ActionIcon: ActionIcon.extend({
      defaultProps: { variant: 'subtle', color: 'gray' },
      classNames: { root: 'data-disabled:bg-transparent' },
    }),
    Input: Input.extend({ defaultProps: { size: 'sm' } }),
    // An error and the hint are below their field.
    InputWrapper: { defaultProps: { inputWrapperOrder: ['label', 'input', 'error', 'description'] } },
    NativeSelect: {
      defaultProps: {
        rightSection: createElement(IconSelector, { size: 16, 'aria-hidden': true }),
      } satisfies NativeSelectProps,
    },
    NumberInput: { defaultProps: { inputMode: 'numeric', autoComplete: 'off' } satisfies NumberInputProps },
    // The placeholder would be an invalid child of a menu.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } satisfies MenuProps },
  },
});

/** Overrides Mantine variables with a contrast below 4.5:1 and defines the variables of our style sheets. */
export const cssVariables: CSSVariablesResolver = ({ colors }) => {
  const shade = (palette: string, index: number): string => colors[palette]?.[index] ?? '';
  const accents = ['petrol', 'blue', 'violet', 'green', 'red', 'orange', 'gray'];
  const light: Record<string, string> = {
    '--mantine-color-body': '#fffefb',
    '--mantine-color-dimmed': '#625f5b',
    '--mantine-color-placeholder': '#706d69',
    '--mantine-color-error': shade('red', 7),
    '--mantine-color-anchor': shade('petrol', 7),
    '--mantine-color-default-border': shade('gray', 3),
    '--mantine-color-disabled-color': '#706d69',
    '--on-filled': '#ffffff',
    '--surface': '#ffffff',
    '--canvas': shade('gray', 0),
    '--sunken': shade('gray', 1),
    '--line': shade('gray', 2),
    '--ink': '#1c2224',
    '--ink-soft': '#585653',
    '--accent': shade('petrol', 7),
    '--accent-soft': shade('petrol', 1),
    '--lift': '0 1px 2px rgb(40 38 35 / 6%), 0 8px 24px -12px rgb(40 38 35 / 14%)',
  };
  const dark: Record<string, string> = {
    '--mantine-color-body': shade('dark', 7),
    '--mantine-color-dimmed': '#a6b0b2',
    '--mantine-color-placeholder': '#9aa4a6',
    '--mantine-color-error': shade('red', 4),
    '--mantine-color-anchor': shade('petrol', 4),
    '--mantine-color-default-border': '#3a4447',
    '--mantine-color-disabled-color': '#9aa4a6',
    '--on-filled': shade('dark', 9),
    '--surface': '#1b2426',
    '--canvas': shade('dark', 7),
    '--sunken': '#11191b',
    '--line': '#2c3638',
    '--ink': '#e6eef0',
    '--ink-soft': '#b3bdbf',
    '--accent': shade('petrol', 4),
    '--accent-soft': '#12333a',
    '--menu-item-hover': shade('dark', 5),
    '--lift': '0 1px 2px rgb(0 0 0 / 30%), 0 8px 24px -12px rgb(0 0 0 / 60%)',
  };
  for (const name of accents) {
    light[`--mantine-color-${name}-light`] = shade(name, 1);
    light[`--mantine-color-${name}-light-hover`] = shade(name, 2);
    light[`--mantine-color-${name}-light-color`] = shade(name, 8);
    light[`--mantine-color-${name}-outline`] = shade(name, 7);
    light[`--mantine-color-${name}-text`] = shade(name, 7);
    dark[`--mantine-color-${name}-light`] = `color-mix(in srgb, ${shade(name, 5)} 20%, #151d1f)`;
    dark[`--mantine-color-${name}-light-hover`] = `color-mix(in srgb, ${shade(name, 5)} 28%, #151d1f)`;
    dark[`--mantine-color-${name}-light-color`] = shade(name, 3);
    dark[`--mantine-color-${name}-outline`] = shade(name, 4);
    dark[`--mantine-color-${name}-text`] = shade(name, 4);
  }
  return { variables: {}, light, dark };
};
