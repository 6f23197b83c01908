import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chat, type Person } from '#test/service/service.ts';
import { become, eventually, goTo, open, press, say, service, shows, signOut, useStage } from '../stage.ts';
import {
  enter,
  keysSent,
  links,
  mixturesOf,
  namedPerson,
  pages,
  sendMessage,
  tracesOf,
  usePlayground,
  walk,
} from './shared-browser.ts';

useStage();
let first: Person;
let second: Person;

/** A person's credits according to the service, read with their own key so that no session is needed. */
async function balanceOf({ key }: Person): Promise<number> {
  await service.settled();
  return (await service.call('GET', '/api/credits', { key })).body.data.balance;
}
const isAccepted = async (key: string) => (await service.call('GET', '/v1/models', { key })).status === 200;
const showsPerson = (page: Page, { email }: Person) => page.getByText(email).first().waitFor();

// Every page is visited twice, possibly on a busy machine.
const timeout = 120_000;

describe('a browser shared by two people', { timeout }, () => {
  let tab: Page;

  const begin = async () => {
    [first, second] = await Promise.all([namedPerson('Agatha'), namedPerson('Bertram')]);
    tab = await open('/login');
    await enter(tab, first);
  };

  it("shows the second person nothing of the first on any page, and never spends the first person's credits", async () => {
    await begin();
    const sent = keysSent(tab);
    await walk(tab);
    await usePlayground(tab, 'Agatha');
    expect(await tracesOf(tab, 'Agatha')).toEqual(['document', 'fields', 'localStorage', 'sessionStorage']);
    const [left, full] = [await balanceOf(first), await balanceOf(second)];
    await signOut(tab);
    expect(sent.keys).not.toEqual([]);
    for (const key of sent.keys) expect(await isAccepted(key)).toBe(false);
    expect(await tracesOf(tab, 'Agatha')).toEqual([]);

    await enter(tab, second);
    for (const path of pages) {
      await tab.goto(path);
      await showsPerson(tab, second);
      expect(await tracesOf(tab, 'Agatha')).toEqual([]);
    }
    await walk(tab, async () => expect(await tracesOf(tab, 'Agatha')).toEqual([]));
    await sendMessage(tab, 'Bertram asks of hills');
    expect(await tracesOf(tab, 'Agatha')).toEqual([]);
    expect(await balanceOf(first)).toBe(left);
    expect(await balanceOf(second)).toBe(full - 1);
  });

  it('separates them even if nothing loads between signing out and signing in', async () => {
    await begin();
    await sendMessage(tab, 'Agatha asks of rivers');
    const left = await balanceOf(first);
    await signOut(tab);
    await enter(tab, second);
    await goTo(tab, 'Playground');
    expect(await tracesOf(tab, 'Agatha')).toEqual([]);
    await sendMessage(tab, 'Bertram asks of hills', { isThere: true });
    expect(await balanceOf(first)).toBe(left);
    expect(await balanceOf(second)).toBe(99);
    for (let steps = 0; steps < 2; steps++) {
      await tab.goBack();
      expect(await tracesOf(tab, 'Agatha')).toEqual([]);
    }
  });

  it("ends the first person's pages in every tab when the second signs in", async () => {
    await begin();
    await usePlayground(tab, 'Agatha');
    const left = await balanceOf(first);
    const other = await tab.context().newPage();
    await other.goto('/');
    await signOut(other);
    await eventually(() => tracesOf(tab, 'Agatha')).toEqual([]);
    await enter(other, second);
    await sendMessage(tab, 'Bertram asks of hills');
    expect(await tracesOf(tab, 'Agatha')).toEqual([]);
    expect(await balanceOf(first)).toBe(left);
    expect(await balanceOf(second)).toBe(99);
  });

  it('sends nothing for the first person after the cookie changes, even if no page was notified', async () => {
    await begin();
    await usePlayground(tab, 'Agatha');
    const left = await balanceOf(first);
    await become(tab, second);
    await say(tab, 'Agatha asks again');
    await showsPerson(tab, second);
    expect(await tracesOf(tab, 'Agatha')).toEqual([]);
    expect([await balanceOf(first), await balanceOf(second)]).toEqual([left, 100]);
  });

  it('changes nothing of the second person from a page of the first', async () => {
    await begin();
    await tab.goto('/plans');
    await press(tab, 'Subscribe Dev Pass');
    await become(tab, second);
    await press(tab, 'Subscribe to Dev Pass');
    await showsPerson(tab, second);
    expect((await service.call('GET', '/api/subscription', second)).body.data).toBeNull();
    expect(await tracesOf(tab, 'Agatha')).toEqual([]);
  });

  it('shows nothing of the second person under the first one’s name on any page', async () => {
    await begin();
    const translation = { text: 'Good morning.', sourceLanguage: 'en', targetLanguage: 'fr' };
    await service.call('POST', '/api/ai/translate', { key: first.key, body: translation });
    await service.call('POST', '/v1/chat/completions', { key: second.key, body: chat() });
    await service.settled();
    const about = new Map([
      [first.id, { name: 'Agatha', texts: ['90 credits'] }],
      [second.id, { name: 'Bertram', texts: ['99 credits', 'Chat, svc-1'] }],
    ]);
    for (const link of links) {
      await goTo(tab, link === 'Settings' ? 'Plans' : 'Settings');
      await tab.waitForLoadState('networkidle');
      const [former, latter] = [about.get(first.id)!, about.get(second.id)!];
      const mixed = await mixturesOf(tab, first, [latter.name, ...latter.texts]);
      // Like another program in this browser: no page is notified.
      const { email, password } = second;
      await tab.context().request.post('/api/auth/login', { data: { email, password } });
      await goTo(tab, link);
      await showsPerson(tab, second);
      await shows(tab, `You are now signed in as ${email}.`);
      expect([link, mixed.texts, await tracesOf(tab, former.name)]).toEqual([link, [], []]);
      [first, second] = [second, first];
    }
  });

  it('shows the second person’s page on focus, and on return from the back/forward cache', async () => {
    await begin();
    for (const event of ['focus', 'pageshow']) {
      await become(tab, second);
      await tab.evaluate(`dispatchEvent(new PageTransitionEvent('${event}', { persisted: true }))`);
      await showsPerson(tab, second);
      expect(await tracesOf(tab, event === 'focus' ? 'Agatha' : 'Bertram')).toEqual([]);
      [first, second] = [second, first];
    }
  });

  it('ends a playground key with its expired session: in memory immediately, at the service within minutes', async () => {
    await begin();
    const sent = keysSent(tab);
    await sendMessage(tab, 'Agatha asks of rivers');
    const left = await balanceOf(first);
    const { cookie } = first;
    const keys = (await service.call('GET', '/api/keys', { cookie })).body.data;
    const { createdAt, expiresAt } = keys.find(({ name }: { name: string }) => name === 'Playground');
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBeLessThanOrEqual(15 * 60_000);
    // Resolves when the page checks its session before it sends. Earlier requests may still be running.
    const endOfSessions = async (): Promise<void> => {
      for (const { id, current } of (await service.call('GET', '/api/auth/sessions', { cookie })).body.data)
        if (!current) await service.call('DELETE', `/api/auth/sessions/${id}`, { cookie });
    };
    const onItsWay = { times: 1 };
    await tab.route('**/api/auth/me', (route) => endOfSessions().then(() => route.continue()), onItsWay);
    await say(tab, 'Agatha asks again');
    await shows(tab, 'Your session has expired. Sign in again.');
    expect(await tracesOf(tab, 'Agatha')).toEqual([]);
    expect(await balanceOf(first)).toBe(left);
    await enter(tab, first);
    await eventually(() => isAccepted(sent.keys[0]!)).toBe(false);
  });

  it('aborts the first person’s call at sign-out, and shows its result to nobody', async () => {
    await begin();
    let release = () => undefined as void;
    const held = new Promise<void>((resolve) => (release = resolve));
    await tab.route('**/v1/chat/completions', async (route) => {
      await held;
      await route.continue().catch(() => undefined);
    });
    const aborted = tab.waitForEvent('requestfailed', (request) => request.url().endsWith('/v1/chat/completions'));
    await goTo(tab, 'Playground');
    const requested = tab.waitForRequest('**/v1/chat/completions');
    await say(tab, 'Agatha asks of rivers');
    await requested;
    await signOut(tab);
    await aborted;
    await enter(tab, second);
    release();
    await goTo(tab, 'Playground');
    expect(await tracesOf(tab, 'Agatha')).toEqual([]);
    expect([await balanceOf(first), await balanceOf(second)]).toEqual([100, 100]);
  });

  it('shows the session as active if signing out failed', async () => {
    await begin();
    await tab.route('**/api/auth/logout', (route) => route.abort());
    await press(tab, /^Account of/);
    await tab.getByRole('menuitem', { name: 'Sign out' }).click();
    await shows(tab, /^You are still signed in\./);
    await showsPerson(tab, first);
  });

  it('separates a newly registered person from the first one in the same tab', async () => {
    await begin();
    await goTo(tab, 'Settings');
    await sendMessage(tab, 'Agatha asks of rivers');
    // Navigates within the document, unlike a link.
    await tab.evaluate("history.pushState(null, '', '/register')");
    await tab.getByLabel('Name').fill('Cecil');
    await tab.getByLabel('Email').fill('cecil@example.com');
    await tab.getByLabel('Password', { exact: true }).fill('a quiet river bank');
    await press(tab, 'Create account');
    await tab.getByRole('link', { name: 'Skip for now' }).click();
    await shows(tab, 'Hello, Cecil');
    expect(await tracesOf(tab, 'Agatha')).toEqual([]);
  });

  it('shows the page of the person who signs in with Google, even if the first wanted to link it', async () => {
    await begin();
    await goTo(tab, 'Settings');
    await press(tab, 'Link Google');
    const dialog = tab.getByRole('dialog');
    await dialog.getByLabel('Email').fill('dora@example.com');
    await dialog.getByLabel('Name').fill('Dora');
    await dialog.getByRole('button', { name: 'Continue', exact: true }).click();
    await tab.getByText('dora@example.com').first().waitFor();
    expect(await tracesOf(tab, 'Agatha')).toEqual([]);
  });
});
