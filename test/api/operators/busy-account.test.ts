import { expect, it } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { times } from '#test/many.ts';
import { useOperator } from '#test/requests/operator-actions.ts';
import { auditFindings, chat, code } from '#test/service/service.ts';

const { service, act, grant, eventsOf } = useOperator();
const credit = 1_000_000;

it('a key limit, a cap, grants and a suspension are written while 300 concurrent calls change the account', async () => {
  const person = await service.person({ planRank: 5 });
  const { id, key, keyId, cookie } = person;
  const calls = times(300, () => service.call('POST', '/v1/chat/completions', { key, body: chat() }));
  const changes = await Promise.all([
    service.call('PATCH', `/api/keys/${keyId}`, { cookie, body: { limit: { credits: 500_000, period: 'month' } } }),
    service.call('PUT', '/api/limits', { cookie, body: { monthlyCredits: 900_000 } }),
    ...times(4, (index) => grant(person, 100 + index)),
  ]);
  const suspension = await act('POST', `${id}/suspend`);
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  const charged = statuses.filter((status) => status === 200).length;

  expect([...changes, suspension].map(code)).toEqual(times(7, () => '200 SUCCESS'));
  expect(statuses.filter((status) => ![200, 401].includes(status))).toEqual([]);
  const { cap, closed, holds, lots } = (await services().metering().find(id))!;
  expect(cap).toMatchObject({ limit: 900_000 * credit, used: charged * credit });
  expect([closed, holds.size]).toEqual(['suspended', 0]);
  const granted = lots.filter(({ source }) => source === 'purchase').reduce((sum, lot) => sum + lot.granted, 0);
  expect(granted).toBe(406 * credit);
  expect(await eventsOf(person)).toHaveLength(5);
  expect(await auditFindings(service)).toEqual([]);
}, 120_000);
