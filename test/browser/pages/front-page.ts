import { expect, test } from 'vitest';
import { goTo, heading, member, open, press, service, shows } from '../stage.ts';
import { unreadableTexts, findings, isTooWide } from './findings.ts';

const publicPages = ['/', '/pricing'] as const;
const claim = /^One API for /;

export function frontPageTests(): void {
  test('lead a visitor to the prices and to a form for a new account', async () => {
    const page = await open('/');
    await heading(page, claim);
    await goTo(page, 'Pricing');
    await heading(page, 'Models and pricing');
    await page.getByRole('link', { name: 'Create account for Freemium' }).click();
    await heading(page, 'Create an account');
    await page.getByRole('link', { name: 'Text AI platform' }).click();
    await heading(page, claim);
    expect(new URL(page.url()).pathname).toBe('/');
  });

  test('are complete without JavaScript', async () => {
    const page = await open('/', undefined, { javaScriptEnabled: false });
    await heading(page, claim);
    await shows(page, `curl ${service.origin}/v1/chat/completions`);
    await page.getByText('What does a call cost?').click();
    await shows(page, 'x-credits-charged');
    await page.getByRole('link', { name: 'Models and pricing' }).first().click();
    await heading(page, 'Models and pricing');
    const row = page.getByRole('row', { name: /svc-1-32k/ });
    expect(await row.getByRole('cell').allTextContents()).toEqual([
      'Chat, Completion',
      '32,768 tokens',
      '32,768 tokens',
      'Pro Pass',
      '1 credit per chat completion1 credit per 1,000 tokens',
    ]);
    expect(await page.getByRole('button').count()).toBe(0);
  });

  test('copy an example', async () => {
    const page = await open('/', undefined, { permissions: ['clipboard-read', 'clipboard-write'] });
    await press(page, 'Copy A first request');
    await shows(page, 'Copied');
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^curl http[^]*"Hello"[^]*'$/);
  });

  test('show the dashboard at / to a user who is signed in, and the front page after signing out', async () => {
    const { page } = await member('/');
    await shows(page, 'Make your first call');
    await page.context().clearCookies();
    await page.goto('/');
    await heading(page, claim);
  });

  test.each(publicPages)(
    'have no serious axe findings at %s in either theme, and fit 360 to 1440 pixels',
    async (path) => {
      const page = await open(path);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await findings(page)).toEqual([]);
        for (const width of [1440, 1280, 768, 360]) {
          await page.setViewportSize({ width, height: 800 });
          expect([width, await isTooWide(page)]).toEqual([width, false]);
        }
      }
      expect(await unreadableTexts(page)).toEqual([]);
    },
  );
}
