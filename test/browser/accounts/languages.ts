import { expect, test } from 'vitest';
import { eventually, service, signIn, visit } from '../stage.ts';

export function languageTests(): void {
  test('a registration keeps the language of the page, and a choice in the settings changes it', async () => {
    const page = await visit(undefined, { locale: 'de-DE' });
    await page.goto('/register');
    await page.locator('input[autocomplete=name]').fill('Ada');
    await page.locator('input[type=email]').fill('ada.de@example.com');
    await page.locator('input[autocomplete=new-password]').fill('a quiet river bank');
    await page.locator('button[type=submit]').click();
    const language = async () => (await (await page.request.get('/api/auth/me')).json()).data?.language;
    await eventually(language).toBe('de');
    await page.goto('/settings');
    await page.locator('select:has(option[value=ja])').selectOption('ja');
    await page.locator('html[lang=ja]').waitFor();
    await eventually(language).toBe('ja');
  });

  test('a browser without a choice takes that of the account after the sign-in, and keeps its own later', async () => {
    const person = await service.person();
    await service.call('PATCH', '/api/auth/me', { cookie: person.cookie, body: { language: 'es' } });
    const page = await visit();
    await page.goto('/login');
    await signIn(page, person);
    await page.locator('html[lang=es]').waitFor();
    await service.call('PATCH', '/api/auth/me', { cookie: person.cookie, body: { language: 'ar' } });
    await page.goto('/settings');
    await page.locator('h1').first().waitFor();
    await page.waitForLoadState('networkidle');
    expect(await page.evaluate('document.documentElement.lang')).toBe('es');
  });
}
