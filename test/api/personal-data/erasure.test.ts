import { describe, expect, it } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import { services } from '#runtime/services/container.ts';
import { documentedKinds, type Trace, tracesOf } from '#test/database/traces.ts';
import { usePayingService } from '#test/payments/paying-service.ts';
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
  own.text,
  'marzipan',
];
const kindsOf = (traces: readonly Trace[]) => [...new Set(traces.map(({ kind }) => kind))].toSorted();

describe('the purge of a deleted account', () => {
  it('leaves nothing of the person in any table, bucket or queue, except the documented kinds without their words', async () => {
    const operator = await service.person();
    await setRole(operator, 'operator');
    const life = await live(service, receiver.url, operator.cookie);
    const ids = [String(life.id), ...life.keyIds];
    const scan = () => tracesOf([...personal(life), ...ids], service.folder);

    await (await services().operators()).directory().update();
    const before = kindsOf(await scan());
    for (const table of Object.keys(tables)) expect(before.filter((kind) => kind.startsWith(table))).not.toEqual([]);
    expect(before).toContain('bucket audio');

    // In the paid month, so that its end, and the expiry of credits, fall between the deletion and the purge.
    await service.advance('P12D');
    await leave(service);
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

    const mails = (await (await fetch(`${service.origin}/_local/mail`)).json()) as { to: string[]; subject: string }[];
    expect(mails.find(({ to }) => to.includes(own.email))?.subject).toBe('Your account was deleted');
  }, 240_000);
});
