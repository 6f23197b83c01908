import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { services } from '#runtime/container.ts';
import { ambient } from '#runtime/shared/ambient.ts';
import { resetEnvironment } from '#runtime/shared/per-environment.ts';
import { rowsOf } from '#test/database/rows.ts';
import { operatorActions, reason } from '#test/requests/operator-actions.ts';
import { code, type Person, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
let operator: Person;
let somebody: Person;
beforeAll(async () => {
  service = await startTestService();
  operator = await service.person();
  somebody = await service.person();
  await services().operators().setRole(operator.email, 'operator');
});
afterAll(() => service.close());

const { balanceOf, act, suspend, resume, assign, grant } = operatorActions(
  () => service,
  () => operator,
);

const auditOf = async ({ id }: Person) => (await rowsOf('accounts')).filter(({ pk }) => pk === `audit#${id}`);

describe('an operator', () => {
  it('leaves a row for every act: who, what, why and when', async () => {
    const person = await service.person();
    const before = services().clock.now();
    await suspend(person);
    await resume(person);
    await act('POST', `${person.id}/keys/${person.keyId}/suspend`);
    await assign(person, 'pro_pass');
    await grant(person, 5);
    const rows = await auditOf(person);
    const acts = ['suspend', 'resume', 'suspend key', 'assign plan', 'grant credits'];
    expect(rows.map((row) => row['act'])).toEqual(acts);
    for (const row of rows) expect(row).toMatchObject({ by: operator.id, reason });
    const after = services().clock.now();
    for (const row of rows) expect([before <= Number(row['at']), Number(row['at']) <= after]).toEqual([true, true]);
  });

  it('leaves a row also for an act that comes at the same moment as another, and overwrites none', async () => {
    const person = await service.person();
    const { clock } = ambient;
    const frozen = clock.now();
    ambient.clock = { now: () => frozen };
    resetEnvironment();
    const responses = [await grant(person, 5), await grant(person, 7)];
    ambient.clock = clock;
    resetEnvironment();
    expect(responses.map(code)).toEqual(['200 SUCCESS', '200 SUCCESS']);
    expect(await auditOf(person)).toHaveLength(2);
  });

  it.each([
    ['POST', 'suspend', {}],
    ['POST', 'resume', {}],
    ['PUT', 'plan', { planId: 'enterprise' }],
    ['POST', 'credits', { credits: 5 }],
    ['POST', 'keys/nothing/suspend', {}],
  ])('is told 404 at %s …/%s of an account that does not exist', async (method, verb, body) => {
    expect(code(await act(method, `123456789/${verb}`, body))).toBe('404 NOT_FOUND');
  });

  it('is told 404 for an unknown address and an unknown key, 409 for a deleted account', async () => {
    const person = await service.person();
    const find = await service.call('GET', '/api/operator/accounts?email=nobody@example.com', {
      cookie: operator.cookie,
    });
    expect(code(find)).toBe('404 NOT_FOUND');
    expect(code(await act('POST', `${person.id}/keys/nothing/suspend`))).toBe('404 NOT_FOUND');
    expect(code(await act('POST', `${person.id}/keys/${operator.keyId}/suspend`))).toBe('404 NOT_FOUND');
    const { cookie, email, password } = person;
    await service.call('POST', '/api/auth/delete-account', { cookie, body: { email, password } });
    expect(code(await suspend(person))).toBe('409 INVALID_STATE');
    expect(code(await grant(person, 5))).toBe('409 INVALID_STATE');
  });

  it.each([
    ['POST', 'credits', { credits: 0 }, 'credits must be positive.'],
    ['POST', 'credits', { credits: 1.5 }, 'credits must be an integer.'],
    ['POST', 'credits', { credits: 1_000_001 }, 'credits must be at most 1000000.'],
    ['PUT', 'plan', { planId: 'platinum' }, 'planId must name a plan.'],
    ['POST', 'suspend', { reason: '' }, 'reason must not be empty.'],
    ['POST', 'suspend', { reason: undefined }, 'reason is required.'],
  ])('is told 400 at %s …/%s with %j, and nothing is done', async (method, verb, body, detail) => {
    const response = await act(method, `${somebody.id}/${verb}`, body);
    expect([response.status, response.body.detail]).toEqual([400, detail]);
    expect(await auditOf(somebody)).toEqual([]);
  });

  it('is no operator any more with the request after the role is taken back', async () => {
    const person = await service.person();
    const find = () => service.call('GET', `/api/operator/accounts?email=${person.email}`, { cookie: person.cookie });
    expect(code(await find())).toBe('403 INSUFFICIENT_PERMISSIONS');
    await services().operators().setRole(person.email, 'operator');
    expect(code(await find())).toBe('200 SUCCESS');
    await services().operators().setRole(person.email, 'viewer');
    expect(code(await find())).toBe('403 INSUFFICIENT_PERMISSIONS');
  });
});

describe('a viewer', () => {
  it('may do nothing of it, not even to their own account, and leaves no row', async () => {
    const person = await service.person();
    const responses = [
      await service.call('GET', `/api/operator/accounts?email=${person.email}`, { cookie: person.cookie }),
      await act('POST', `${person.id}/suspend`, {}, person.cookie),
      await act('POST', `${person.id}/resume`, {}, person.cookie),
      await act('PUT', `${person.id}/plan`, { planId: 'enterprise' }, person.cookie),
      await act('POST', `${person.id}/credits`, { credits: 1000 }, person.cookie),
      await act('POST', `${person.id}/keys/${person.keyId}/suspend`, {}, person.cookie),
    ];
    expect(new Set(responses.map(code))).toEqual(new Set(['403 INSUFFICIENT_PERMISSIONS']));
    expect(await auditOf(person)).toEqual([]);
    expect((await balanceOf(person.key)).quota.translation).toBe(100);
  });
});
