import { beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '#contract/http/route.ts';
import { operatorRoutes } from '#contract/routes/operators.ts';
import { services } from '#runtime/services/container.ts';
import { rowsOf } from '#test/database/rows.ts';
import { setRole, useOperator } from '#test/requests/operator-actions.ts';
import { sampleOf } from '#test/requests/samples.ts';
import type { CallOptions } from '#test/service/api-request.ts';
import { usePerson, chat, code, type Person } from '#test/service/service.ts';

const { service, operator, act, trail, eventsOf, suspend, resume, assign } = useOperator();
const [customer, viewer, suspended, former, other] = Array.from({ length: 5 }, () => usePerson(service)) as [
  Person,
  Person,
  Person,
  Person,
  Person,
];
beforeAll(async () => {
  for (const person of [suspended, former, other]) await setRole(person, 'operator');
  await suspend(suspended);
  await setRole(former, 'viewer');
});

const routes = Object.values<Route>(operatorRoutes).map((route) => [`${route.method} ${route.path}`, route] as const);
const isAction = ({ method }: Route) => method !== 'GET';

/** Sends the sample request of a route for this account and its key. */
function send(route: Route, on: Person, options: CallOptions) {
  const { path, body } = sampleOf(route);
  const address = path
    .replace('/some-id', `/${on.keyId}`)
    .replace(/\/123(?=\/|$)/, `/${on.id}`)
    .replace('accountId=123', `accountId=${on.id}`)
    .replace('sample%40example.com', encodeURIComponent(on.email));
  return service.call(route.method, address, { ...options, ...(body !== undefined && { body }) });
}

describe.each(routes)('%s', (_, route) => {
  it('refuses everyone except operators in a session, and writes no event', async () => {
    const refusals: [who: string, options: CallOptions, expected: string][] = [
      ['a stranger', {}, '401 INVALID_API_KEY'],
      ['a viewer', { cookie: viewer.cookie }, '403 INSUFFICIENT_PERMISSIONS'],
      ['the owner of the account', { cookie: customer.cookie }, '403 INSUFFICIENT_PERMISSIONS'],
      ['an API key of an operator', { key: operator.key }, '403 INSUFFICIENT_PERMISSIONS'],
      ['a suspended operator', { cookie: suspended.cookie }, '401 INVALID_API_KEY'],
      ['a key of a suspended operator', { key: suspended.key }, '401 INVALID_API_KEY'],
      ['a former operator', { cookie: former.cookie }, '403 INSUFFICIENT_PERMISSIONS'],
    ];
    const before = await rowsOf('audit');
    for (const [who, options, expected] of refusals)
      expect([who, code(await send(route, customer, options))]).toEqual([who, expected]);
    expect(await rowsOf('audit')).toEqual(before);
  });

  it('accepts an operator', async () => {
    const person = await service.person();
    if (route === operatorRoutes.resumeAccount) await suspend(person);
    expect(code(await send(route, person, { cookie: operator.cookie }))).toBe('200 SUCCESS');
  });
});

describe.each(routes.filter(([, route]) => isAction(route)))('%s', (_, route) => {
  it('is refused on the operator’s own account, and writes no event', async () => {
    const before = await eventsOf(operator);
    const response = await send(route, operator, { cookie: operator.cookie });
    expect([code(response), response.body.detail]).toEqual([
      '403 INSUFFICIENT_PERMISSIONS',
      'Operators may not act on their own account; another operator must do it.',
    ]);
    expect(await eventsOf(operator)).toEqual(before);
  });

  it('is refused on an unknown or deleted account', async () => {
    const { cookie, email, password, ...person } = await service.person();
    const gone = { ...person, cookie, email, password };
    await service.call('POST', '/api/auth/delete-account', { cookie, body: { email, password } });
    expect(code(await send(route, gone, { cookie: operator.cookie }))).toBe('409 INVALID_STATE');
    expect(code(await send(route, { ...gone, id: 123_456_789 }, { cookie: operator.cookie }))).toBe('404 NOT_FOUND');
    expect(await eventsOf(gone)).toEqual([]);
  });

  it('runs once for requests with one Idempotency-Key', async () => {
    const person = await service.person();
    if (route === operatorRoutes.resumeAccount) await suspend(person);
    const before = (await eventsOf(person)).length;
    const options = { cookie: operator.cookie, headers: { 'idempotency-key': `once-${person.id}` } };
    const first = await send(route, person, options);
    const again = await send(route, person, options);
    expect([code(first), again.body]).toEqual(['200 SUCCESS', first.body]);
    expect((await eventsOf(person)).length).toBe(before + 1);
  });
});

describe('two concurrent operators', () => {
  it('suspend or resume an account once, and the second request is refused', async () => {
    const person = await service.person();
    for (const verb of ['suspend', 'resume'] as const) {
      const both = [operator, other].map(({ cookie }) => act('POST', `${person.id}/${verb}`, {}, cookie));
      expect((await Promise.all(both)).map(code).toSorted()).toEqual(['200 SUCCESS', '409 INVALID_STATE']);
    }
    expect(await eventsOf(person)).toHaveLength(2);
  });

  it('both grant credits, even while the account calls', async () => {
    const person = await service.person({ credits: 100 });
    const calls = Array.from({ length: 5 }, () =>
      service.call('POST', '/v1/chat/completions', { key: person.key, body: chat() }),
    );
    const grants = [operator, other, operator, other].map(({ cookie }, index) =>
      act('POST', `${person.id}/credits`, { credits: 10 ** index }, cookie),
    );
    expect((await Promise.all(grants)).map(code)).toEqual(grants.map(() => '200 SUCCESS'));
    const spent = (await Promise.all(calls)).filter(({ status }) => status === 200).length;
    expect((await services().metering().find(person.id))!.spendable).toBe((100 + 1111 - spent) * 1_000_000);
    const steps = (await eventsOf(person)).map(
      ({ before, after }: { before: { credits: number }; after: { credits: number } }) =>
        after.credits - before.credits,
    );
    expect(steps.toSorted((one: number, two: number) => one - two)).toEqual([1, 10, 100, 1000]);
  });

  it('cannot both suspend each other', async () => {
    const pair = [await service.person(), await service.person()] as const;
    for (const person of pair) await setRole(person, 'operator');
    const [one, two] = pair;
    const responses = await Promise.all([
      act('POST', `${one.id}/suspend`, {}, two.cookie),
      act('POST', `${two.id}/suspend`, {}, one.cookie),
    ]);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.find(({ status }) => status !== 200)?.status).toBeOneOf([401, 403]);
    expect(
      [...(await eventsOf(one)), ...(await eventsOf(two))].filter(({ action }) => action === 'suspend'),
    ).toHaveLength(1);
  });

  it('can suspend each other, and the suspended one cannot reverse it', async () => {
    expect(code(await suspend(other))).toBe('200 SUCCESS');
    expect(code(await act('POST', `${operator.id}/suspend`, {}, other.cookie))).toBe('401 INVALID_API_KEY');
    expect(code(await act('POST', `${other.id}/resume`, {}, other.cookie))).toBe('401 INVALID_API_KEY');
    expect(code(await resume(other))).toBe('200 SUCCESS');
  });
});

describe('the rights of an operator', () => {
  it('end with the next request after the role is removed', async () => {
    const person = await service.person();
    const find = () => service.call('GET', `/api/operator/accounts?email=${person.email}`, { cookie: person.cookie });
    expect(code(await find())).toBe('403 INSUFFICIENT_PERMISSIONS');
    await setRole(person, 'operator');
    expect(code(await find())).toBe('200 SUCCESS');
    await setRole(person, 'viewer');
    expect(code(await find())).toBe('403 INSUFFICIENT_PERMISSIONS');
  });

  it('do not reveal an unknown address, an unknown key, or a key of another account', async () => {
    const cookie = operator.cookie;
    const find = await service.call('GET', '/api/operator/accounts?email=nobody@example.com', { cookie });
    expect(code(find)).toBe('404 NOT_FOUND');
    expect(code(await act('POST', `${customer.id}/keys/nothing/suspend`))).toBe('404 NOT_FOUND');
    expect(code(await act('POST', `${customer.id}/keys/${operator.keyId}/suspend`))).toBe('404 NOT_FOUND');
  });

  it('do not allow suspending a suspended or revoked key', async () => {
    const { id, keyId, cookie } = await service.person();
    expect(code(await act('POST', `${id}/keys/${keyId}/suspend`))).toBe('200 SUCCESS');
    expect(code(await act('POST', `${id}/keys/${keyId}/suspend`))).toBe('409 INVALID_STATE');
    await service.call('DELETE', `/api/keys/${keyId}`, { cookie });
    expect(code(await act('POST', `${id}/keys/${keyId}/suspend`))).toBe('409 INVALID_STATE');
    expect(await eventsOf({ id })).toHaveLength(1);
  });

  it('include assigning the current plan, which changes nothing but writes an event', async () => {
    const person = await service.person();
    await assign(person, 'dev_pass');
    await assign(person, 'dev_pass');
    const [again] = await eventsOf(person);
    expect(again.before).toEqual(again.after);
    expect((await services().metering().find(person.id))!.spendable).toBe(5_100_000_000);
    expect((await trail('?limit=1')).body.data.events).toHaveLength(1);
  });
});
