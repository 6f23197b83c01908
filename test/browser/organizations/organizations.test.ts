import { describe, expect, it } from 'vitest';
import { chat } from '#test/service/service.ts';
import { tracesOf } from '../accounts/shared-browser.ts';
import { looksWell, settled } from '../pages/findings.ts';
import {
  become,
  eventually,
  goTo,
  heading,
  member,
  open,
  press,
  service,
  shows,
  signIn,
  signOut,
  useStage,
} from '../stage.ts';
import {
  callAs,
  createKey,
  createTeam,
  invite,
  memberOf,
  openIn,
  showsOrganization,
  switchTo,
} from './organizations.ts';

useStage();

const owner = async (name: string) => createTeam(await service.person(), name);

describe('an organization', () => {
  it('is created, shared by an emailed invitation, and opened by the second person in another browser', async () => {
    const { page, person } = await member('/');
    expect(await page.getByRole('button', { name: /^Organization/ }).count()).toBe(0);
    await press(page, /^Account of/);
    await page.getByRole('menuitem', { name: 'Create organization' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Acme');
    await press(page, /^Create$/);
    await showsOrganization(page, 'Acme');
    await goTo(page, 'API keys');
    await shows(page, 'No API keys yet');
    await page.goto('/keys?new');
    await page.getByLabel('Name').fill('shared server');
    await press(page, /^Create$/);
    await press(page, 'Done');

    const guest = await service.person();
    const confirmation = await service.mailedToken(guest.email);
    await goTo(page, 'Organization');
    await page.getByLabel('Email').fill(guest.email);
    await page
      .getByRole('combobox', { name: 'Role', exact: true })
      .selectOption({ label: 'Developer: API keys, webhooks, agents and calls' });
    await press(page, 'Invite');
    await shows(page, `Invitation sent to ${guest.email}.`);
    await page.getByRole('row', { name: new RegExp(`${guest.email}.*Developer.*in [67] days`) }).waitFor();

    const other = await open(`/invitation?token=${await service.mailedToken(guest.email, confirmation)}`, guest);
    await press(other, 'Accept invitation');
    await heading(other, 'You joined Acme');
    await press(other, 'Open Acme');
    await showsOrganization(other, 'Acme');
    await goTo(other, 'API keys');
    await shows(other, 'shared server');
    await shows(other, `by ${(await service.call('GET', '/api/auth/me', { cookie: person.cookie })).body.data.name}`);
    await page.reload();
    await page
      .getByRole('row', { name: new RegExp(guest.email) })
      .getByRole('combobox')
      .waitFor();
    expect(await page.getByRole('table', { name: 'Open invitations' }).count()).toBe(0);
  });

  it('is renamed, transferred to another member, and left', async () => {
    const team = await owner('Before');
    const heir = await memberOf(team, 'viewer');
    const page = await openIn(team, '/organization', team.owner);
    await page.getByLabel('Name').fill('After');
    await press(page, 'Rename');
    await shows(page, 'Organization renamed to After.');
    await showsOrganization(page, 'After');
    expect(await page.getByRole('button', { name: 'Leave After' }).isDisabled()).toBe(true);
    await press(page, 'Transfer ownership');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('New owner').selectOption({ value: String(heir.id) });
    await dialog.getByLabel('Your role after the transfer').selectOption({ value: 'viewer' });
    await dialog.getByRole('button', { name: 'Transfer ownership' }).click();
    await shows(page, /is now an owner, and you are viewer\.$/);
    await eventually(() => page.getByRole('button', { name: 'Delete organization' }).count()).toBe(0);
    await shows(page, /^Your role in After is viewer\. Only owners and admins can/);
    await press(page, 'Leave After');
    await press(page, 'Leave organization');
    await shows(page, 'You left After. This is your personal organization.');
    const left = await service.call('GET', '/api/organizations', { cookie: heir.cookie });
    expect(left.body.data.items[1]).toMatchObject({ name: 'After', role: 'owner' });
  });

  it('is deleted only after its name is typed', async () => {
    const team = await owner('Ephemeral');
    const key = await createKey(team.owner, team.id, 'server');
    const page = await openIn(team, '/organization', team.owner);
    await press(page, 'Delete organization');
    const name = page.getByLabel('Type the organization’s name to confirm');
    await name.fill('ephemeral');
    await press(page, 'Delete organization permanently');
    await shows(page, 'Name does not match');
    await name.fill('Ephemeral');
    await press(page, 'Delete organization permanently');
    await shows(page, 'Ephemeral is deleted. This is your personal organization.');
    expect(await page.getByRole('button', { name: /^Organization/ }).count()).toBe(0);
    expect((await service.call('GET', '/v1/models', { key })).status).toBe(401);
  });

  it('keeps its keys, cached pages and drafts apart from those of other organizations', async () => {
    const team = await owner('Acme');
    await createKey(team.owner, team.id, 'Acme server');
    await service.call('PATCH', `/api/keys/${team.owner.keyId}`, {
      cookie: team.owner.cookie,
      body: { name: 'Private server' },
    });
    const page = await openIn(team, '/agents?new', team.owner);
    await page.getByLabel('Name').fill('Acme draft');
    await shows(page, 'Unsaved changes are kept in this tab.');
    await goTo(page, 'API keys');
    await shows(page, 'Acme server');
    expect(await tracesOf(page, 'Private server')).toEqual([]);

    const named: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/api/keys')) named.push(request.headers()['x-organization']);
    });
    await switchTo(page, (await service.call('GET', '/api/auth/me', { cookie: team.owner.cookie })).body.data.name);
    await shows(page, 'Private server');
    expect((await tracesOf(page, 'Acme server')).concat(await page.evaluate('location.search'))).toEqual(['']);
    expect(named.at(-1)).toBeUndefined();
    await page.goto('/agents?new');
    expect(await page.getByLabel('Name').inputValue()).toBe('');

    await switchTo(page, 'Acme');
    await page.goto('/agents?new');
    expect(await page.getByLabel('Name').inputValue()).toBe('Acme draft');
    await page.goto('/keys');
    await shows(page, 'Acme server');
    expect(named.at(-1)).toBe(String(team.id));
  });

  it('shows the usage of each member by the keys that they created', async () => {
    const team = await owner('Acme');
    const person = await memberOf(team, 'developer');
    await service.call('PATCH', '/api/auth/me', { cookie: person.cookie, body: { name: 'Grace' } });
    const key = await createKey(person, team.id, 'laptop');
    await service.call('POST', '/v1/chat/completions', { key, body: chat() });
    await service.settled();
    const page = await openIn(team, '/usage', team.owner);
    await page.getByText('Member', { exact: true }).click();
    await page.getByRole('table', { name: 'Usage by member' }).getByText('Grace').waitFor();
    await looksWell(page, 'usage-by-member');
  });

  it('is remembered for new tabs, while each tab keeps its own', async () => {
    const team = await owner('Acme');
    const personal = (await service.call('GET', '/api/organizations', { cookie: team.owner.cookie })).body.data
      .items[0];
    const page = await openIn(team, '/usage', team.owner);
    const tab = await page.context().newPage();
    await tab.goto('/keys');
    await showsOrganization(tab, 'Acme');
    await switchTo(tab, personal.name);
    await page.reload();
    await showsOrganization(page, 'Acme');
  });
});

describe('an invitation', () => {
  it('leads a new user through registration and confirmation back to it', async () => {
    const team = await owner('Acme');
    const email = 'newcomer@example.com';
    await callAs(team.owner, team.id, 'POST', `/api/organizations/${team.id}/invitations`, { email, role: 'viewer' });
    const token = await service.mailedToken(email);
    const page = await open(`/invitation?token=${token}#${new URLSearchParams({ email }).toString()}`);
    await looksWell(page, 'invitation-guest');
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByLabel('Name').fill('Newcomer');
    expect(await page.getByLabel('Email').inputValue()).toBe(email);
    await page.getByLabel('Password', { exact: true }).fill('a quiet river bank');
    await press(page, 'Create account');
    await shows(page, 'Check your inbox');
    await page.goto(`/confirm?token=${await service.mailedToken(email, token)}`);
    await page.getByRole('link', { name: 'Continue to your invitation' }).click();
    await press(page, 'Accept invitation');
    await heading(page, 'You joined Acme');
    await shows(page, 'Your role is viewer: read only.');
    expect(await page.evaluate('location.href + JSON.stringify(localStorage)')).not.toContain(token);
  });

  it('waits for a sign-in, refuses another address, admits the invited one, and recognizes a member', async () => {
    const team = await owner('Acme');
    const [guest, stranger] = [await service.person(), await service.person()];
    const path = await invite(team, guest);
    const page = await open(path);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await shows(page, 'Sign in with the email that received the invitation.');
    await signIn(page, stranger);
    await press(page, 'Accept invitation');
    await shows(
      page,
      `This invitation is for another email than ${stranger.email}. Sign in with the email that received it.`,
    );
    await looksWell(page, 'invitation-refused');
    await press(page, 'Use another account');
    await signIn(page, guest);
    await press(page, 'Accept invitation');
    await heading(page, 'You joined Acme');
    await page.goto(path);
    await heading(page, 'You are already a member of Acme');
    await looksWell(page, 'invitation-used');
    await page.setViewportSize({ width: 1360, height: 900 });
    await press(page, 'Open Acme');
    await showsOrganization(page, 'Acme');
  });

  it('explains that it was withdrawn, used or is incomplete', async () => {
    const team = await owner('Acme');
    const guest = await service.person();
    const path = await invite(team, guest);
    const page = await openIn(team, '/organization', team.owner);
    await press(page, `Withdraw the invitation of ${guest.email}`);
    await shows(page, `Invitation of ${guest.email} withdrawn.`);
    const other = await open(path, guest);
    await press(other, 'Accept invitation');
    await shows(other, /^This invitation is no longer valid: it was used or withdrawn, or it is older than 7 days/);
    await other.goto('/invitation');
    await shows(other, 'This link is incomplete. Open the link in the email.');
  });
});

describe('a role', () => {
  it.each(['viewer', 'billing'] as const)(
    '%s cannot change keys or open pages that call the API, and sees why',
    async (role) => {
      const team = await owner('Acme');
      await createKey(team.owner, team.id, 'server');
      const page = await openIn(team, '/keys?new', await memberOf(team, role));
      await shows(
        page,
        `Your role in Acme is ${role}. Only owners, admins and developers can create, change and revoke API keys.`,
      );
      expect(await page.getByRole('dialog').count()).toBe(0);
      expect(await page.getByRole('button', { name: 'Create API key' }).isDisabled()).toBe(true);
      expect(await page.getByRole('button', { name: 'Actions for server' }).isDisabled()).toBe(true);
      await looksWell(page, `keys-${role}`);
      for (const path of ['/playground', '/agents', '/messages', '/webhooks']) {
        await page.goto(path);
        await shows(page, /^Your role in Acme is .*\. Only owners, admins and developers can/);
        expect(await page.locator('main').getByRole('button').count()).toBe(0);
      }
      await page.goto('/plans');
      const upgrade = page.getByRole('button', { name: /^(Subscribe|Upgrade)/ }).first();
      await upgrade.waitFor();
      expect(await upgrade.isDisabled()).toBe(role === 'viewer');
      await page.goto('/settings');
      expect(await page.getByRole('button', { name: 'Save alerts' }).isDisabled()).toBe(true);
      expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(false);
    },
  );

  it('of an admin offers everything for members but owners', async () => {
    const team = await owner('Acme');
    const developer = await memberOf(team, 'developer');
    const page = await openIn(team, '/organization', await memberOf(team, 'admin'));
    const row = (email: string) => page.getByRole('row', { name: new RegExp(email) });
    await row(developer.email).getByRole('combobox').selectOption('billing');
    await shows(page, /is now billing\.$/);
    expect(await row(developer.email).getByRole('option').allTextContents()).toEqual([
      'Admin',
      'Developer',
      'Billing',
      'Viewer',
    ]);
    expect(await row(team.owner.email).getByRole('combobox').count()).toBe(0);
    expect(await row(team.owner.email).getByRole('button').count()).toBe(0);
    expect(await page.getByRole('button', { name: /Transfer|Delete/ }).count()).toBe(0);
    await looksWell(page, 'organization-admin');
  });

  it('that changed while the page is open applies after the first refusal', async () => {
    const team = await owner('Acme');
    const person = await memberOf(team, 'developer');
    const page = await openIn(team, '/keys?new', person);
    await page.getByLabel('Name').fill('too late');
    await callAs(team.owner, team.id, 'PATCH', `/api/organizations/${team.id}/members/${person.id}`, {
      role: 'viewer',
    });
    await press(page, /^Create$/);
    await shows(page, /^Your role in Acme is viewer\./);
  });
});

describe('a removed member', () => {
  it.each([true, false])('falls back to the personal organization with a notice; keys revoked: %s', async (revokes) => {
    const team = await owner('Acme');
    const person = await memberOf(team, 'developer');
    const key = await createKey(person, team.id, 'Acme server');
    const theirs = await openIn(team, '/keys', person);
    await shows(theirs, 'Acme server');
    const page = await openIn(team, '/organization', team.owner);
    await page
      .getByRole('row', { name: new RegExp(person.email) })
      .getByRole('button', { name: /^Remove/ })
      .click();
    if (revokes) await page.getByLabel('Revoke the API keys that this member created').check();
    await press(page, 'Remove member');
    await shows(page, /is no longer a member\.$/);

    await goTo(theirs, 'Usage');
    await shows(theirs, 'You are no longer a member of Acme. This is your personal organization.');
    await goTo(theirs, 'API keys');
    await shows(theirs, 'Your keys');
    await settled(theirs);
    expect(await tracesOf(theirs, 'Acme server')).toEqual([]);
    expect(await theirs.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toContain('Acme');
    expect((await service.call('GET', '/v1/models', { key })).status).toBe(revokes ? 401 : 200);
  });
});

describe('two people who share a browser', () => {
  it('share no organization: the second one starts with their own, without a trace of the first', async () => {
    const team = await owner('Acme');
    const person = await memberOf(team, 'developer');
    const page = await openIn(team, '/keys', team.owner);
    await signOut(page);
    expect(await tracesOf(page, 'Acme')).toEqual([]);
    await signIn(page, person);
    await showsOrganization(page, 'Personal');
    await switchTo(page, 'Acme');
    await become(page, await service.person());
    await page.reload();
    await shows(page, /^Hello, /);
    await settled(page);
    expect(await tracesOf(page, 'Acme')).toEqual([]);
    expect(await page.getByRole('button', { name: /^Organization/ }).count()).toBe(0);
  });
});
