import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contrast, palettesOf, panelOf, shadesOf } from '#contract/offer/palette.ts';

const channel = fc.integer({ min: 0, max: 255 }).map((value) => value.toString(16).padStart(2, '0'));
/** Accents that an offer may have. */
const accents = fc
  .tuple(channel, channel, channel)
  .map((parts) => `#${parts.join('')}`)
  .filter((color) => contrast(color, '#ffffff') >= 4.5);

describe('the palettes of an accent', () => {
  it('have readable text on buttons, badges and pages of both themes', () => {
    fc.assert(
      fc.property(accents, (accent) => {
        const { light, dark } = palettesOf(accent);
        for (const { accent: color, on, soft, ink } of [light, dark]) {
          expect(contrast(color, on)).toBeGreaterThanOrEqual(4.5);
          expect(contrast(ink, soft)).toBeGreaterThanOrEqual(4.5);
        }
        // Links on the page, panels and cards (dashboard/src/base.css).
        for (const ground of ['#faf9f6', '#f3f1ec', '#ffffff'])
          expect(contrast(light.ink, ground)).toBeGreaterThan(4.5);
        for (const ground of ['#171715', '#1f1f1c', '#191917']) expect(contrast(dark.ink, ground)).toBeGreaterThan(4.5);
        expect(contrast(panelOf(accent), '#a9d3bd')).toBeGreaterThanOrEqual(4.5);
      }),
      { numRuns: 2000 },
    );
  });

  it('keep the accent itself in the light theme, and use the shades that the theme selects', () => {
    expect(palettesOf('#0a5c7a').light).toMatchObject({ accent: '#0a5c7a', on: '#ffffff' });
    expect([shadesOf('#0a5c7a')[7], shadesOf('#0a5c7a')[3]]).toEqual(['#0a5c7a', palettesOf('#0a5c7a').dark.accent]);
  });
});
