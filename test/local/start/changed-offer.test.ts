import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { removeFolder, testFolder } from '#test/folder.ts';
import { runCommand } from '#test/run-command.ts';
import { exampleOffer, type OfferFile, startOffered } from '#test/service/offered-service.ts';

/** The demo account is on `team`, the largest plan with a price. */
describe('a service whose offer changed', () => {
  let folder: string;
  let offer: OfferFile;
  let bought: object;

  /** The example, with other terms of its plans by name. */
  const selling = (changes: Record<string, object>): OfferFile => ({
    ...offer,
    plans: offer['plans'].map((plan: { name: string }) => ({ ...plan, ...changes[plan.name] })),
  });
  const subscriptionOf = async (service: Awaited<ReturnType<typeof startOffered>>) =>
    (await service.call('GET', '/api/subscription')).body.data;

  beforeAll(async () => {
    folder = await testFolder();
    offer = await exampleOffer();
    const service = await startOffered(offer, folder);
    const key = { name: 'Limited', models: ['acme-small'] };
    await service.owner(201, 'POST', '/api/keys', key);
    await service.owner(201, 'POST', '/api/agents', { name: 'A', model: 'acme-small' });
    bought = await subscriptionOf(service);
    await service.stop();
  });
  afterAll(() => removeFolder(folder));

  async function refusalOf(changed: OfferFile): Promise<string> {
    const file = join(folder, 'changed.json');
    await writeFile(file, JSON.stringify(changed));
    const args = ['--offer', file, '--data', join(folder, 'data'), '--port', '0'];
    const { status, out, err } = await runCommand('bin/local.ts', args, {});
    expect([status, out]).toEqual([2, '']);
    return err;
  }

  it('keeps the terms of a subscription, and announces and replaces a plan that ends', async () => {
    expect(bought).not.toHaveProperty('terms');
    let service = await startOffered(
      selling({ team: { priceUsd: 30, creditsPerMonth: 10, maxConcurrentCalls: 2, features: [] } }),
      folder,
    );
    expect(await subscriptionOf(service)).toMatchObject({
      planId: '2',
      price: 20,
      monthlyCredits: 2500,
      terms: { callsPerMinute: 600, maxConcurrentCalls: 50, features: ['webhooks'] },
    });
    await service.advance('P1M');
    const { lots } = (await service.call('GET', '/api/credits')).body.data;
    expect(lots.map(({ source, granted }: any) => [source, granted])).toEqual([
      ['plan', 2500],
      ['plan', 2500],
    ]);
    expect((await service.call('GET', '/api/webhooks')).status).toBe(200);
    await service.stop();

    const ending = selling({ team: { endsOn: '2020-01-31', replacedBy: 'free' } });
    service = await startOffered(ending, folder);
    await service.advance('P1M');
    const { replacement } = await subscriptionOf(service);
    expect(replacement.planId).toBe('free');
    const day = replacement.from.slice(0, 10);
    const notices = await vi.waitFor(async () => {
      const mails = (await service.call('GET', '/_local/mail')).body;
      const found = mails.filter(({ subject }: any) => subject === `Your plan ends on ${day}`);
      expect(found).toHaveLength(1);
      return found;
    }, 5000);
    expect(notices[0].text).toContain(
      `Your subscription changes to Free on ${day}: 0.00 USD and 50 credits per month.`,
    );
    await service.advance('P2M');
    expect(await subscriptionOf(service)).toMatchObject({ planId: 'free', price: 0, monthlyCredits: 50 });
    await service.stop();
  });

  it('does not start without the models that keys and agents name, and counts them', async () => {
    const [large, , embed] = offer['models'];
    const { uses: _uses, ...rest } = offer;
    expect(await refusalOf({ ...rest, models: [large, embed] })).toBe(
      'The offer lacks the model acme-small of 1 key and the model acme-small of 1 agent: keep a model with retiredFrom and replacedBy, or as an alias of another one. Or use another data folder (--data).\n',
    );
  });

  it('does not start without the plan of a subscription, or if another plan has its number', async () => {
    const service = await startOffered(offer, folder);
    await service.owner(200, 'PUT', '/api/subscription/upgrade-plan', { newPlanId: 'team' });
    await service.stop();
    const [free, team] = offer['plans'];
    const lacks =
      'The offer lacks the plan team of 1 account: keep a plan with its id, hidden or with endsOn and replacedBy. Or use another data folder (--data).\n';
    expect(await refusalOf({ ...offer, plans: [free] })).toBe(lacks);
    expect(await refusalOf({ ...offer, plans: [free, { ...team, name: 'small' }, team] })).toBe(lacks);
  });
});
