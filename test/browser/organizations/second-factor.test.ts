import { describe, expect, it } from 'vitest';
import { factorCalls } from '#test/requests/accounts/second-factor.ts';
import { looksWell } from '../pages/findings.ts';
import { press, service, shows, useStage } from '../stage.ts';
import { createTeam, memberOf, openIn } from './organizations.ts';

useStage();

describe('a required second factor', () => {
  it('is turned on by an owner who has one, and shows each member what remains', async () => {
    const { enrolled } = factorCalls(() => service);
    const owner = await enrolled();
    const team = await createTeam(owner, 'Harbor');
    const member = await memberOf(team, 'developer');
    const page = await openIn(team, '/organization', owner);
    await page.getByRole('row', { name: new RegExp(`${member.email}.*Password only`) }).waitFor();
    await press(page, 'Require second factor');
    await shows(page, 'Harbor requires a second factor. Members got an email.');
    await looksWell(page, 'organization-requires-second-factor');

    const other = await openIn(team, '/organization', member);
    await shows(other, 'To use Harbor, set up an authenticator app');
    await looksWell(other, 'organization-locked');
    expect(await other.getByRole('table', { name: 'Members' }).count()).toBe(0);
    await press(other, /^Leave Harbor/);
    await other.getByRole('dialog').getByRole('button', { name: 'Leave organization' }).click();
    await shows(other, 'You left Harbor. This is your personal organization.');
  });

  it('is not turned on by an owner who has none', async () => {
    const team = await createTeam(await service.person(), 'Harbor');
    const page = await openIn(team, '/organization', team.owner);
    await press(page, 'Require second factor');
    await shows(page, 'The organization requires a second factor.');
    await page.getByRole('link', { name: 'Set up a second factor' }).waitFor();
  });
});
