import { t } from '@lingui/core/macro';
import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from '@mantine/core';
import { offer } from '#contract/offer/current-offer.ts';
import { type Palette, palettesOf, panelOf, shadesOf } from '#contract/offer/palette.ts';
import { rescueFocus } from './lib/focus.ts';

/** The default accent. Green stands for a positive balance. */
const green: MantineColorsTuple = [
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

const { accent } = offer.product;
const pine: MantineColorsTuple = accent === null ? green : shadesOf(accent);
const palettes = accent === null ? undefined : palettesOf(accent);

const variablesOf = ({ accent: color, on, soft, ink: text }: Palette) => ({
  '--accent': color,
  '--accent-soft': soft,
  '--accent-ink': text,
  '--on-accent': on,
  '--mantine-color-anchor': text,
});

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

/** CSS variable of each color family. base.css defines both themes. */
const tones: Readonly<Record<string, string>> = { pine: 'accent', yellow: 'amber', red: 'danger', gray: 'quiet' };

/** Uses our own colors for light and filled variants, which have enough contrast in both themes. */
const variantColors: VariantColorsResolver = (input) => {
  const resolved = defaultVariantColorsResolver(input);
  const [family = 'pine'] = (input.color ?? 'pine').split('.');
  const tone = tones[family];
  if (input.variant === 'light' && tone)
    return { ...resolved, background: `var(--${tone}-soft)`, color: `var(--${tone}-ink)`, border: 'none' };
  if (input.variant === 'filled' && family === 'pine') return { ...resolved, color: 'var(--on-accent)' };
  return resolved;
};

/** Sets the text direction from the typed text. `dir` on the field itself would also flip its frame. */
const typed = { attributes: { input: { dir: 'auto' } } };

/** Read when the page is shown, after its texts are loaded. */
const closeButtonProps = {
  get 'aria-label'() {
    return t`Close`;
  },
};

const visibilityToggleButtonProps = {
  get 'aria-label'() {
    return t`Toggle password visibility`;
  },
};

export const theme = createTheme({
  variantColorResolver: variantColors,
  colors: { pine, gray: paper, dark: ink },
  primaryColor: 'pine',
  primaryShade: { light: 7, dark: 3 },
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
    Modal: {
      styles: {
        content: { background: 'var(--surface)' },
        header: { background: 'var(--surface)', paddingBottom: '0.75rem' },
        title: { fontSize: '1.1875rem', fontWeight: 650, letterSpacing: '-0.012em' },
      },
      defaultProps: {
        centered: true,
        radius: 'lg',
        closeButtonProps,
        padding: 'lg',
        onExitTransitionEnd: rescueFocus,
      },
    },
    Drawer: { defaultProps: { position: 'right', closeButtonProps } },
    Notification: { defaultProps: { closeButtonProps } },
    // The placeholder for the focus is not a menu item, and a menu may contain only items.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    TextInput: { defaultProps: typed },
    Textarea: { defaultProps: typed },
    PasswordInput: { defaultProps: { visibilityToggleButtonProps } },
    // White on the light accent of the dark theme has too little contrast.
    Checkbox: { defaultProps: { iconColor: 'var(--on-accent)' } },
    Radio: { defaultProps: { iconColor: 'var(--on-accent)' } },
    Switch: { defaultProps: { withThumbIndicator: false } },
    Tooltip: { defaultProps: { openDelay: 250, events: { hover: true, focus: true, touch: true } } },
    Badge: {
      defaultProps: { radius: 'sm', variant: 'light', tt: 'none' },
      // A badge is never truncated. Its neighbors shrink instead.
      styles: { root: { flexShrink: 0, minWidth: 'max-content' }, label: { overflow: 'visible' } },
    },
    NumberInput: { defaultProps: { hideControls: true } },
  },
});

export const cssVariables: CSSVariablesResolver = () => ({
  variables: accent === null ? {} : { '--panel': panelOf(accent) },
  light: {
    '--mantine-color-body': '#faf9f6',
    '--mantine-color-text': '#1e1d1a',
    '--mantine-color-dimmed': '#69645a',
    '--mantine-color-error': '#b3261e',
    '--mantine-color-placeholder': '#7a756a',
    '--mantine-color-anchor': '#1a6747',
    ...(palettes && variablesOf(palettes.light)),
  },
  dark: {
    '--mantine-color-body': '#171715',
    '--mantine-primary-color-contrast': '#0c2419',
    '--mantine-color-text': '#edece7',
    '--mantine-color-dimmed': '#b0afa6',
    '--mantine-color-error': '#ff9a8f',
    '--mantine-color-placeholder': '#97968c',
    '--mantine-color-anchor': '#8fcbac',
    ...(palettes && { ...variablesOf(palettes.dark), '--mantine-primary-color-contrast': palettes.dark.on }),
  },
});
