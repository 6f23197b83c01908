import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { factorCalls } from '#test/requests/accounts/second-factor.ts';
import { looksWell } from '../pages/findings.ts';
import { eventually, heading, press, service, shows, useStage } from '../stage.ts';
import { createTeam, memberOf, openIn } from './organizations.ts';

useStage();

/** Resolves when the settings show the section and its heading has the focus. */
async function atSection(page: Page): Promise<void> {
  await eventually(() => page.evaluate('document.activeElement.textContent')).toBe('Two-step sign-in');
  const section = page.getByRole('region', { name: 'Two-step sign-in' });
  const isAtTop = () => section.evaluate((element) => element.getBoundingClientRect().top < 300);
  await eventually(isAtTop).toBe(true);
}

describe('required two-step sign-in', () => {
  it('can be turned on by an owner who uses it, and shows other members how to regain access', async () => {
    const { enrolled } = factorCalls(() => service);
    const owner = await enrolled();
    const team = await createTeam(owner, 'Harbor');
    const member = await memberOf(team, 'developer');
    const page = await openIn(team, '/organization', owner);
    await page.getByRole('row', { name: new RegExp(`${member.email}.*Password only`) }).waitFor();
    await press(page, 'Require two-step sign-in');
    await shows(page, 'Harbor requires two-step sign-in. The other members got an email.');
    await looksWell(page, 'organization-requires-second-factor');

    const other = await openIn(team, '/organization', member);
    await shows(other, 'To use Harbor, set up an authenticator app');
    await looksWell(other, 'organization-locked');
    expect(await other.getByRole('table', { name: 'Members' }).count()).toBe(0);
    for (const path of ['/', '/keys', '/playground', '/usage', '/messages']) {
      await other.goto(path);
      await heading(other, 'Two-step sign-in required');
      await shows(other, 'To use Harbor, set up an authenticator app');
    }
    await looksWell(other, 'page-locked');
    await other.getByRole('link', { name: 'Set up two-step sign-in' }).click();
    await atSection(other);
    await shows(other, 'This organization requires two-step sign-in.');
    await other.goto('/organization');
    await press(other, /^Leave Harbor/);
    await other.getByRole('dialog').getByRole('button', { name: 'Leave organization' }).click();
    await shows(other, 'You left Harbor. This is your personal organization.');
  });

  it('cannot be turned on by an owner who does not use it, and links to the settings', async () => {
    const team = await createTeam(await service.person(), 'Harbor');
    const page = await openIn(team, '/organization', team.owner);
    await press(page, 'Require two-step sign-in');
    await shows(page, 'Set up two-step sign-in for your own account first, or sign in with a passkey.');
    await page.getByRole('link', { name: 'Set up two-step sign-in' }).click();
    await atSection(page);
  });
});
