import type { Page } from 'playwright-core';
import type { Person } from '#test/service/service.ts';
import { open, service } from '../stage.ts';

export interface Team {
  readonly id: number;
  readonly name: string;
  readonly owner: Person;
}

/** Sends a request with a person's session for an organization. */
export async function callAs(
  { cookie }: Pick<Person, 'cookie'>,
  organization: number,
  method: string,
  path: string,
  body?: unknown,
) {
  const headers = { 'x-organization': String(organization) };
  return service.call(method, path, { cookie, headers, ...(body !== undefined && { body }) });
}

/** Creates an organization through the API. */
export async function createTeam(owner: Person, name: string): Promise<Team> {
  const { body } = await service.call('POST', '/api/organizations', { cookie: owner.cookie, body: { name } });
  return { id: body.data.id, name, owner };
}

/** Invites a registered person, and returns the path of the emailed link. */
export async function invite(
  { id, owner }: Team,
  { email }: Pick<Person, 'email'>,
  role = 'developer',
): Promise<string> {
  const confirmation = await service.mailedToken(email);
  const path = `/api/organizations/${id}/invitations`;
  await service.call('POST', path, { cookie: owner.cookie, body: { email, role } });
  return `/invitation?token=${await service.mailedToken(email, confirmation)}`;
}

/** A new person who joined the organization through the API. */
export async function memberOf(team: Team, role: string): Promise<Person> {
  const person = await service.person();
  const token = (await invite(team, person, role)).split('=')[1];
  await service.call('POST', '/api/invitations/accept', { cookie: person.cookie, body: { token } });
  return person;
}

/** Creates an API key of an organization. */
export async function createKey(person: Person, organization: number, name: string): Promise<string> {
  const { body } = await callAs(person, organization, 'POST', '/api/keys', { name });
  return body.data.key;
}

const switcher = (page: Page) => page.getByRole('button', { name: /^Organization/ }).first();

/** Resolves when the page shows the organization. */
export const showsOrganization = (page: Page, name: string): Promise<void> =>
  switcher(page).filter({ hasText: name }).waitFor();

/** Switches with the menu of the navigation. */
export async function switchTo(page: Page, name: string): Promise<void> {
  await switcher(page).click();
  await page.getByRole('menuitem', { name }).click();
  await showsOrganization(page, name);
}

/** Opens a page of an organization in a new browser profile. */
export async function openIn({ name }: Team, path: string, person: Person): Promise<Page> {
  const page = await open('/organization', person);
  await switchTo(page, name);
  if (path !== '/organization') await page.goto(path);
  return page;
}
