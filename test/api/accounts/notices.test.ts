import { describe, expect, it } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { authCalls, deviceOf, inTurn } from '#test/requests/accounts/auth-calls.ts';
import { mailsTo } from '#test/requests/accounts/inbox.ts';
import { code, type Person, usePerson, useTestService } from '#test/service/service.ts';

const service = useTestService();
const somebody = usePerson(service);
const { login, advance, identityToken, post } = authCalls(() => service);

/** Newest first, without the emails of the registration and the key of the test. */
async function subjectsTo({ email }: Pick<Person, 'email'>): Promise<string[]> {
  const subjects = (await mailsTo(service, email)).map(({ subject }) => subject);
  return subjects.slice(0, -2);
}

const all = { planChanges: true, renewals: true, receipts: true, webhooks: true };
const path = '/api/account/mail-preferences';
const set = ({ cookie }: Person, body: object) => service.call('PUT', path, { cookie, body });
const subscription = (method: string, to: string, { cookie }: Person, body?: object) =>
  service.call(method, `/api/subscription/${to}`, { cookie, ...(body && { body }) });
const subscribe = async (person: Person) =>
  (await subscription('POST', 'create', person, { planId: 'dev_pass', billingCycle: 'monthly' })).body.data.id;

describe('the email about a new API key', () => {
  it('names its first and last characters and the time, for a created and a rotated key', async () => {
    const person = await service.person();
    const [created] = await mailsTo(service, person.email);
    expect(created?.subject).toBe('An API key was created');
    expect(created?.text).toContain(`The API key ${person.key.slice(0, 17)}…${person.key.slice(-4)} was created`);
    expect(created?.text).toContain('/settings#emails');
    expect(created?.text).not.toContain(person.key);
    const { cookie } = person;
    await service.call('POST', `/api/keys/${person.keyId}/rotate`, { cookie, body: { graceSeconds: 0 } });
    expect(await subjectsTo(person)).toEqual(['An API key was created']);
  });

  it('is not sent for a refused key, and at most 10 times an hour', async () => {
    const person = await service.person();
    const { cookie } = person;
    const create = (name: string) => service.call('POST', '/api/keys', { cookie, body: { name } });
    expect(code(await create(''))).toBe('400 INVALID_FORMAT');
    expect(await subjectsTo(person)).toEqual([]);
    await inTurn(12, (index) => create(`key ${index}`));
    expect(await subjectsTo(person)).toHaveLength(9);
  });
});

describe('the email about a new sign-in', () => {
  it('is sent for a device that was not used before, with the program and the time, and never again for it', async () => {
    const person = await service.person();
    const signIn = await login(person.email, person.password);
    const [mail] = await mailsTo(service, person.email);
    expect(mail?.subject).toBe('New sign-in to your account');
    expect(mail?.text).toMatch(/at \d{4}-\d\d-\d\d \d\d:\d\d UTC with .+ on the machine of the service\./);
    await login(person.email, person.password, deviceOf(signIn));
    expect(await subjectsTo(person)).toHaveLength(1);
  });

  it('is sent neither for a wrong password, nor to an unconfirmed address, nor for the registration with Google', async () => {
    const person = await service.registered();
    await login(person.email, 'a wrong password');
    await login(person.email, person.password);
    expect((await mailsTo(service, person.email)).map(({ subject }) => subject)).toEqual([
      'Confirm your email address',
    ]);
    const email = 'google-notice@example.com';
    await post('google', { token: await identityToken(email) });
    expect(await mailsTo(service, email)).toEqual([]);
    await post('google', { token: await identityToken(email) });
    expect((await mailsTo(service, email)).map(({ subject }) => subject)).toEqual(['New sign-in to your account']);
  });

  it('is limited to 5 an hour', async () => {
    const person = await service.person();
    await inTurn(7, () => login(person.email, person.password));
    expect(await subjectsTo(person)).toHaveLength(5);
    await advance('PT61M');
    await login(person.email, person.password);
    expect(await subjectsTo(person)).toHaveLength(6);
  });
});

describe('the email about a plan', () => {
  it('is sent for each change, with the plan and the day on which it takes effect', async () => {
    const person = await service.person();
    const id = await subscribe(person);
    await subscription('PUT', 'upgrade-plan', person, { newPlanId: 'pro_pass' });
    await subscription('PUT', 'downgrade-plan', person, { newPlanId: 'dev_pass' });
    await subscription('PUT', 'downgrade-plan', person, { newPlanId: 'pro_pass' });
    const cancelled = (await subscription('PATCH', `${id}/cancel`, person)).body.data;
    await subscription('PATCH', `${id}/resume`, person);
    const day = cancelled.endsAt.slice(0, 10);
    expect((await subjectsTo(person)).toReversed()).toEqual([
      'You are now on Dev Pass',
      'You are now on Pro Pass',
      `Your plan changes to Dev Pass on ${day}`,
      'You stay on Pro Pass',
      'You cancelled Pro Pass',
      'Pro Pass continues',
    ]);
    const texts = (await mailsTo(service, person.email)).map(({ text }) => text).join('\n');
    expect(texts).toContain(`You keep its limits until ${day}, and can resume it until then.`);
  });

  it('is sent for a renewal and an assigned plan, unless these emails are off', async () => {
    const person = await service.person();
    await services().subscriptions().assign(person.id, 'dev_pass');
    await service.settled();
    await advance('P31D');
    const renew = () => services().metering().current(person.id, services().clock.now());
    await renew();
    expect(await subjectsTo(person)).toEqual(['Dev Pass was renewed', 'You are now on Dev Pass']);
    const cookie = (await login(person.email, person.password)).headers.getSetCookie()[0]?.split(';')[0] ?? '';
    await set({ ...person, cookie }, { ...all, renewals: false, planChanges: false });
    await service.settled();
    await advance('P31D');
    await renew();
    await services().subscriptions().assign(person.id, 'pro_pass');
    expect(await subjectsTo(person)).toHaveLength(3);
  });
});

describe('the email preferences', () => {
  it('are all on at first, and are replaced as a whole', async () => {
    const person = await service.person();
    const get = async () => (await service.call('GET', path, { cookie: person.cookie })).body.data;
    expect(await get()).toEqual(all);
    const chosen = { ...all, receipts: false };
    expect((await set(person, chosen)).body.data).toEqual(chosen);
    expect(await get()).toEqual(chosen);
    await set(person, all);
    expect(await get()).toEqual(all);
  });

  it.each([
    [{ ...all, receipts: 'no' }, 'receipts must be true or false.'],
    [{ planChanges: true, renewals: true, receipts: true }, 'webhooks is required.'],
  ])('return 400 with the field: %j', async (body, detail) => {
    const refused = await set(await service.person(), body);
    expect([refused.status, refused.body.detail]).toEqual([400, detail]);
  });

  it('do not include emails about security, which are sent with all of them off', async () => {
    const person = await service.person();
    await set(person, { planChanges: false, renewals: false, receipts: false, webhooks: false });
    await login(person.email, person.password);
    expect(await subjectsTo(person)).toEqual(['New sign-in to your account']);
  });

  it('cannot be read or changed with an API key', async () => {
    const { key } = somebody;
    expect((await service.call('GET', path, { key })).status).toBe(403);
    expect((await service.call('PUT', path, { key, body: all })).status).toBe(403);
  });
});
