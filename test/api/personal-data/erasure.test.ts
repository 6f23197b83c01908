import { describe, expect, it } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import { services } from '#runtime/services/container.ts';
import { documentedKinds, type Trace, tracesOf } from '#test/database/traces.ts';
import { usePayingService } from '#test/payments/paying-service.ts';
import { mailsTo } from '#test/requests/accounts/inbox.ts';
import { guests } from '#test/requests/accounts/life-organizations.ts';
import { leave, type Life, live, own } from '#test/requests/accounts/life.ts';
import { setRole } from '#test/requests/operator-actions.ts';
import { useReceiver } from '#test/webhooks/receiver.ts';

const service = usePayingService();
const receiver = useReceiver();

/** Whatever names the person, or what they wrote. The ids of account and keys are apart: amounts are booked under them. */
const personal = ({ tokens }: Life) => [
  ...tokens,
  own.email,
  own.oldEmail,
  own.name,
  'uillfeather',
  own.phone,
  own.phone.slice(1),
  guests,
  own.text,
  'marzipan',
];
/** The email address of the payment provider's customer, or `deleted`. */
async function customerOf(id: number): Promise<string | null> {
  const { customer = '' } = await service.profile({ id } as never);
  const found = await service.stripe().customers.retrieve(customer);
  return found.deleted ? 'deleted' : found.email;
}

const kindsOf = (traces: readonly Trace[]) => [...new Set(traces.map(({ kind }) => kind))].toSorted();

describe('the purge of a deleted account', () => {
  it('leaves nothing of the person in any table, bucket or queue, except the documented kinds without their words', async () => {
    const operator = await service.person();
    await setRole(operator, 'operator');
    const life = await live(service, receiver.url, operator.cookie);
    const { alone, ended, kept, keyIds } = life.organizations;
    const purged = [life.id, alone, ended];
    const ids = [...purged.map(String), ...life.keyIds, ...keyIds];
    expect(await Promise.all([...purged, kept].map(customerOf))).toEqual(Array(4).fill(own.email));
    const scan = () => tracesOf([...personal(life), ...ids], service.folder);

    await (await services().operators()).directory().update();
    const before = kindsOf(await scan());
    for (const table of Object.keys(tables)) expect(before.filter((kind) => kind.startsWith(table))).not.toEqual([]);
    expect(before).toEqual(expect.arrayContaining(['bucket audio', 'bucket contents']));

    // In the paid month, so that its end, and the expiry of credits, fall between the deletion and the purge.
    await service.advance('P12D');
    await leave(service, life);
    await service.quiet();
    for (let weeks = 0; weeks < 4; weeks++) await service.advance('P8D');
    // The contents of agents are deleted by their own job.
    await service.advance('P1D');

    const after = await scan();
    const isPersonal = ({ words }: Trace) => words.some((word) => !ids.includes(word));
    expect(after.filter(isPersonal)).toEqual([]);
    expect(after.filter(({ text }) => /https?:/.test(text))).toEqual([]);
    const documented = await documentedKinds('What remains after a purge');
    expect(kindsOf(after)).toEqual([...documented.keys()].toSorted());
    const partitions = purged.map((id) => `"pk":"user#${id}"`);
    expect(after.filter(({ text }) => partitions.some((partition) => text.includes(partition)))).toEqual([]);
    const { email } = life.organizations.other;
    expect(await Promise.all([...purged, kept].map(customerOf))).toEqual(['deleted', 'deleted', 'deleted', email]);

    const mails = await mailsTo(service, own.email);
    expect(mails[0]?.subject).toBe('Your account was deleted');
    expect(mails.filter(({ text }) => text.includes('Organization: Harbor Lights'))).toHaveLength(1);
  }, 240_000);
});
