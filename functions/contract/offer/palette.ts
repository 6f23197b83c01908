/** Colors that an accent replaces, per theme. `on` is the text on `accent`; `soft` is a background for `ink`. */
export interface Palette {
  readonly accent: string;
  readonly on: string;
  readonly soft: string;
  readonly ink: string;
}

/** WCAG 2.2, success criterion 1.4.3. */
export const minContrast = 4.5;

const white = '#ffffff';
const black = '#000000';
/** The brightest background of accents in the dark theme. */
const darkSurface = '#34342f';

/** Derives both themes from a color that is readable with white. Every pair above has a contrast of at least 4.5. */
export function palettesOf(accent: string): { readonly light: Palette; readonly dark: Palette } {
  const soft = mix(accent, white, 0.9);
  const darkAccent = until(accent, white, (color) => contrast(color, darkSurface) >= minContrast + 1);
  const darkSoft = mix(accent, '#171715', 0.75);
  return {
    light: {
      accent,
      on: white,
      soft,
      ink: until(accent, black, (color) => contrast(color, soft) >= minContrast + 0.5),
    },
    dark: {
      accent: darkAccent,
      on: until(mix(accent, black, 0.6), black, (color) => contrast(color, darkAccent) >= minContrast),
      soft: darkSoft,
      ink: until(darkAccent, white, (color) => contrast(color, darkSoft) >= minContrast + 1),
    },
  };
}

/** Ten shades from light to dark. The fourth is the dark theme's accent, the eighth the light theme's. */
export function shadesOf(accent: string) {
  const lighter = (share: number): string => mix(accent, white, share);
  return [
    lighter(0.93),
    lighter(0.84),
    lighter(0.68),
    palettesOf(accent).dark.accent,
    lighter(0.38),
    lighter(0.26),
    lighter(0.13),
    accent,
    mix(accent, black, 0.22),
    mix(accent, black, 0.42),
  ] as const;
}

/** The dark panel of the sign-in page, behind light text. */
export const panelOf = (accent: string): string =>
  until(mix(accent, black, 0.45), black, (color) => contrast(color, '#a9d3bd') >= minContrast + 1);

/** Contrast ratio (WCAG 2.2, "contrast ratio"). Colors as `#rrggbb`. */
export function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

/** WCAG 2.2, "relative luminance". */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const channels = (color: string): number[] => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));

/** `share` of the second color, from 0 to 1. */
function mix(one: string, other: string, share: number): string {
  const to = channels(other);
  const mixed = channels(one).map((value, at) => Math.round(value + ((to[at] ?? 0) - value) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

/** Moves a color towards another in steps of 5% until it passes. */
function until(color: string, towards: string, passes: (color: string) => boolean): string {
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = mix(color, towards, share);
    if (passes(mixed)) return mixed;
  }
  return towards;
}
