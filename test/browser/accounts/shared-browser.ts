import type { Page } from 'playwright-core';
import { dashboardPages } from '#contract/dashboard-config.ts';
import type { Person } from '#test/service/service.ts';
import { guestPages } from '../pages/findings.ts';
import { press, say, service, shows, signIn } from '../stage.ts';

/** Pages of a signed-in user by their links in the navigation. */
export const links = [
  'Overview',
  'API keys',
  'Playground',
  'Agents',
  'Messages',
  'Usage',
  'Logs',
  'Webhooks',
  'Plans',
  'Organization',
  'Settings',
];
export const pages = [
  ...dashboardPages.filter((path) => !guestPages.has(path) && !path.startsWith('/guides')),
  '/agents?new',
];

/** A confirmed person whose name is on all of their data: profile, keys and agents. */
export async function namedPerson(name: string): Promise<Person> {
  const person = await service.person();
  const { cookie } = person;
  await service.call('PATCH', '/api/auth/me', { cookie, body: { name } });
  await service.call('PATCH', `/api/keys/${person.keyId}`, { cookie, body: { name: `${name}'s server` } });
  await service.call('POST', '/api/agents', { cookie, body: { name: `${name}'s guide`, model: 'svc-1' } });
  return person;
}

/** Signs in, and waits for the person's page. */
export async function enter(page: Page, person: Person): Promise<void> {
  await signIn(page, person);
  await page.getByText(person.email).first().waitFor();
}

/** Follows the navigation through every page. */
export async function walk(page: Page, look: () => Promise<void> = async () => undefined): Promise<void> {
  for (const name of links) {
    await page.getByRole('link', { name, exact: true }).first().click();
    await page.locator('h1').first().waitFor();
    await look();
  }
}

/** Sends a chat message in the playground, and waits for the end of the response. */
export async function sendMessage(page: Page, text: string, { isThere = false } = {}): Promise<void> {
  if (!isThere) await page.goto('/playground');
  await say(page, text);
  await page.getByRole('button', { name: 'New chat' }).waitFor();
}

/**
 * Leaves data in the tab: an unsaved agent, a conversation with two models, parameters, a preset, and an unsent
 * message.
 */
export async function usePlayground(page: Page, name: string): Promise<void> {
  await page.goto('/agents?new');
  await page.getByLabel('Name').fill(`${name} has not saved this`);
  await shows(page, 'Unsaved changes are kept in this tab.');
  await page.goto('/playground');
  await page.getByLabel('System message').fill(`${name} writes letters`);
  await page.getByRole('switch', { name: 'Compare' }).click();
  await sendMessage(page, `${name} asks of rivers`, { isThere: true });
  await press(page, 'Presets');
  await page.getByRole('dialog').getByLabel('Name').fill(`${name} 1`);
  await press(page, 'Save');
  await page.getByRole('button', { name: `Load ${name} 1` }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByLabel('Your message').fill(`${name} has not sent this`);
}

/** Records the API keys that a page sends from now on. */
export function keysSent(page: Page): { readonly keys: string[] } {
  const keys = new Set<string>();
  page.on('request', (request) => {
    const [, key] = /^Bearer (.*)/.exec(request.headers()['authorization'] ?? '') ?? [];
    if (key !== undefined) keys.add(key);
  });
  return {
    get keys() {
      return [...keys];
    },
  };
}

/** Where the page contains a name: in its text, fields, address or storage. */
export async function tracesOf(page: Page, name: string): Promise<string[]> {
  const places: Record<string, string> = await page.evaluate(`({
    document: document.documentElement.outerHTML,
    fields: [...document.querySelectorAll('input, textarea')].map(({ value }) => value).join(' '),
    address: location.href + document.title + JSON.stringify(history.state),
    localStorage: JSON.stringify(localStorage),
    sessionStorage: JSON.stringify(sessionStorage),
  })`);
  return Object.keys(places).filter((place) => places[place]?.includes(name));
}

/** Collects every text of a page that appears together with the person's address, until the page leaves its document. */
export async function mixturesOf(
  page: Page,
  { email }: Person,
  texts: readonly string[],
): Promise<{ texts: string[] }> {
  const seen: string[] = [];
  const name = `seen${mixtures++}`;
  await page.exposeFunction(name, (text: string) => void seen.push(text));
  await page.evaluate(`new MutationObserver(() => {
    const shown = document.body.innerText;
    if (!shown.includes(${JSON.stringify(email)})) return;
    for (const text of ${JSON.stringify(texts)}) if (shown.includes(text)) ${name}(text);
  }).observe(document.body, { childList: true, subtree: true, characterData: true })`);
  return { texts: seen };
}

let mixtures = 0;
