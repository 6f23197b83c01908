import { afterAll, beforeAll, expect, it } from 'vitest';
import { limits } from '#contract/shared/limits.ts';
import { agentOwner } from '#test/agents/owner.ts';
import { withEnvironment } from '#test/service/environment.ts';
import { code, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
const restore = withEnvironment({ NETWORK_LIMITS: 'on' });
beforeAll(async () => {
  service = await startTestService();
});
afterAll(async () => {
  await service.close();
  restore();
});

it('changes of agents are sixty in a minute, whatever the change, and reading goes on', async () => {
  const owner = await agentOwner(service);
  const conversation = await owner.conversation();
  const change = () => owner.call('PATCH', owner.path, { name: 'Renamed' });
  for (let count = 2; count < limits.agentChangesPerMinute; count++) expect(code(await change())).toBe('200 SUCCESS');
  const refusals = [
    await change(),
    await owner.call('POST', '/api/agents', { name: 'One more', model: 'svc-1' }),
    await owner.call('POST', `${owner.path}/conversations`),
    await owner.call('DELETE', conversation.path),
    await owner.call('DELETE', owner.path),
  ];
  expect(new Set(refusals.map(code))).toEqual(new Set(['429 RATE_LIMIT_EXCEEDED']));
  expect(code(await owner.call('GET', owner.path))).toBe('200 SUCCESS');
  expect(code(await conversation.write('Hello'))).toBe('200 SUCCESS');
  const wait = Number(refusals.at(-1)?.headers.get('retry-after'));
  expect(wait).toBeGreaterThan(0);
  await service.post('/_local/clock', { advance: `PT${wait}S` });
  expect(code(await owner.call('DELETE', owner.path))).toBe('200 SUCCESS');
});
