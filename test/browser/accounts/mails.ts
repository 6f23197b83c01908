import { expect, test } from 'vitest';
import { sentMails } from '#test/requests/accounts/mail-templates.ts';
import { phone, shoot, visit } from '../stage.ts';

interface Look {
  readonly width: number;
  /** Contrast of each text with the nearest background behind it. */
  readonly contrasts: readonly number[];
}

/** Runs in the page. */
const look = `(() => {
  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const luminance = (color) => {
    const [r, g, b] = channels(color).map((value) => value / 255).map((value) =>
      value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const color = getComputedStyle(element).backgroundColor;
    if (channels(color)[3] !== 0) return color;
    return element.parentElement ? behind(element.parentElement) : 'rgb(255, 255, 255)';
  };
  const texts = [...document.querySelectorAll('h1, p, a, td')].filter((element) =>
    [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== ''));
  const contrasts = texts.map((element) => {
    const shades = [luminance(getComputedStyle(element).color), luminance(behind(element))].sort((a, b) => b - a);
    return (shades[0] + 0.05) / (shades[1] + 0.05);
  });
  return { width: document.documentElement.scrollWidth, contrasts };
})()`;

/** Every email, as an email client on a phone shows it. */
export function mailTests(): void {
  test.each(['light', 'dark'] as const)('every email fits 360 px and is readable in %s', async (colorScheme) => {
    const page = await visit(undefined, { ...phone, colorScheme });
    for (const [name, { html }] of sentMails) {
      await page.setContent(html);
      const { width, contrasts } = await page.evaluate<Look>(look);
      expect({ name, width }).toEqual({ name, width: 360 });
      expect(contrasts.length).toBeGreaterThanOrEqual(5);
      expect({ name, isReadable: Math.min(...contrasts) >= 4.5 }).toEqual({ name, isReadable: true });
      if (/keyCreated|newDevice|of cancelled|cap_percent/.test(name))
        await shoot(page, `mail-${name.replaceAll(' ', '-')}-${colorScheme}`);
    }
  });
}
