import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

/** The accent: the green of an entry in the black, on paper or on ink. */
const pine: MantineColorsTuple = [
  '#eef7f2',
  '#d8ece1',
  '#b4dbc7',
  '#8fcbac',
  '#5fb189',
  '#46a376',
  '#2f8f63',
  '#1f7551',
  '#165b3f',
  '#0e4430',
];

const paper: MantineColorsTuple = [
  '#faf9f6',
  '#f3f1ec',
  '#e9e6df',
  '#dedad1',
  '#c9c4b9',
  '#a19b8f',
  '#69645a',
  '#4f4b44',
  '#33312c',
  '#1e1d1a',
];

const ink: MantineColorsTuple = [
  '#edece7',
  '#d3d2cb',
  '#b0afa6',
  '#8d8c83',
  '#3d3d38',
  '#31312d',
  '#252522',
  '#171715',
  '#121210',
  '#0b0b0a',
];

export const theme = createTheme({
  colors: { pine, gray: paper, dark: ink },
  primaryColor: 'pine',
  primaryShade: { light: 7, dark: 3 },
  autoContrast: true,
  luminanceThreshold: 0.35,
  defaultRadius: 'md',
  respectReducedMotion: true,
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", "Open Sans", Roboto, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  fontSizes: { xs: '0.78rem', sm: '0.875rem', md: '0.9375rem', lg: '1.0625rem', xl: '1.25rem' },
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.75rem', lineHeight: '1.2' },
      h2: { fontSize: '1.0625rem', lineHeight: '1.35' },
      h3: { fontSize: '0.9375rem', lineHeight: '1.4' },
    },
  },
  components: {
    Button: { defaultProps: { size: 'sm' } },
    Modal: { defaultProps: { centered: true, radius: 'lg', closeButtonProps: { 'aria-label': 'Close' } } },
    Tooltip: { defaultProps: { openDelay: 250, events: { hover: true, focus: true, touch: true } } },
    Badge: { defaultProps: { radius: 'sm', variant: 'light', tt: 'none' } },
    NumberInput: { defaultProps: { hideControls: true } },
  },
});

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#faf9f6',
    '--mantine-color-text': '#1e1d1a',
    '--mantine-color-dimmed': '#69645a',
    '--mantine-color-error': '#b3261e',
    '--mantine-color-placeholder': '#7a756a',
    '--mantine-color-anchor': '#1a6747',
  },
  dark: {
    '--mantine-color-body': '#171715',
    '--mantine-color-text': '#edece7',
    '--mantine-color-dimmed': '#b0afa6',
    '--mantine-color-error': '#ff9a8f',
    '--mantine-color-placeholder': '#97968c',
    '--mantine-color-anchor': '#8fcbac',
  },
});
