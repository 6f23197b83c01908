import { describe, expect, it } from 'vitest';
import { longAudio } from '#contract/audio/transcription.ts';
import { limits } from '#contract/shared/limits.ts';
import { contentOf } from '#domain/requests/stored-content.ts';
import { services } from '#runtime/services/container.ts';
import { agentOwner } from '#test/agents/owner.ts';
import { newUpload } from '#test/audio/long-audio.ts';
import { rowsOf } from '#test/database/rows.ts';
import { times } from '#test/many.ts';
import { organizationCalls } from '#test/requests/organizations.ts';
import { type ApiResponse, code, useTestService } from '#test/service/service.ts';

import { inTurn, tooMany } from '#test/requests/accounts/auth-calls.ts';
const service = useTestService({ environment: { NETWORK_LIMITS: 'on' } });
const call = (method: string, path: string, cookie: string, body?: unknown) =>
  service.call(method, path, { cookie, body });

/** Advances the clock by the Retry-After of a response. */
async function waitFor({ headers }: ApiResponse): Promise<void> {
  const seconds = Number(headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  await service.post('/_local/clock', { advance: `PT${seconds}S` });
}

describe('limits of changes', () => {
  it('allow ten key changes a minute, and another after Retry-After', async () => {
    const { cookie, keyId } = await service.person();
    const other = await service.person();
    for (let turn = 0; turn < 4; turn++) {
      const made = await call('POST', '/api/keys', cookie, { name: 'brief' });
      expect((await call('PATCH', `/api/keys/${made.body.data.id}`, cookie, { name: 'renamed' })).status).toBe(200);
    }
    const { body } = await call('POST', `/api/keys/${keyId}/rotate`, cookie, { graceSeconds: 60 });
    const path = `/api/keys/${body.data.id}`;
    const refusals = [
      await call('POST', '/api/keys', cookie, { name: 'one more' }),
      await call('PATCH', path, cookie, { name: 'renamed' }),
      await call('POST', `${path}/rotate`, cookie),
      await call('DELETE', path, cookie),
    ];
    expect(refusals.map(code)).toEqual(times(4, () => tooMany));
    expect((await call('GET', '/api/keys', cookie)).status).toBe(200);
    expect((await call('PATCH', `/api/keys/${other.keyId}`, other.cookie, { name: 'mine' })).status).toBe(200);
    await waitFor(refusals.at(-1)!);
    expect((await call('DELETE', path, cookie)).status).toBe(200);
  });

  it('allow ten subscription changes a minute, and another after Retry-After', async () => {
    const { cookie } = await service.person({ planRank: 3 });
    const { id } = (await call('GET', '/api/subscription', cookie)).body.data;
    const path = `/api/subscription/${id}`;
    const changes = [...times(10, (index) => (index % 2 ? 'resume' : 'cancel')), 'cancel', 'cancel'];
    const codes: ApiResponse[] = [];
    for (const change of changes) codes.push(await call('PATCH', `${path}/${change}`, cookie));
    expect(codes.map(code)).toEqual([...times(10, () => '200 SUCCESS'), tooMany, tooMany]);
    await waitFor(codes.at(-1)!);
    expect(code(await call('PATCH', `${path}/cancel`, cookie))).toBe('200 SUCCESS');
  });

  it('count only changes of resources that the caller may change', async () => {
    const [{ cookie, keyId }, other] = [await service.person({ planRank: 3 }), await service.person()];
    const { id } = (await call('GET', '/api/subscription', cookie)).body.data;
    const revoked = (await call('POST', '/api/keys', cookie, { name: 'brief' })).body.data.id;
    await call('DELETE', `/api/keys/${revoked}`, cookie);
    const refused: [string, string, object?][] = [
      ['PATCH', '/api/subscription/another/cancel'],
      ['PATCH', `/api/subscription/${id}/resume`],
      ['POST', '/api/subscription/create', { planId: 'dev_pass', billingCycle: 'monthly' }],
      ['PUT', '/api/subscription/downgrade-plan', { newPlanId: 'smm_pass' }],
      ['PATCH', `/api/keys/${other.keyId}`, { name: 'renamed' }],
      ['PATCH', `/api/keys/${revoked}`, { name: 'renamed' }],
      ['POST', `/api/keys/${revoked}/rotate`],
      ['DELETE', `/api/keys/${other.keyId}`],
    ];
    const codes = new Set<string>();
    for (const [method, path, body] of refused)
      for (const _ of times(11, String)) codes.add(code(await call(method, path, cookie, body)).slice(0, 3));
    expect([...codes].toSorted()).toEqual(['404', '409']);
    expect(code(await call('PATCH', `/api/subscription/${id}/cancel`, cookie))).toBe('200 SUCCESS');
    expect((await call('PATCH', `/api/keys/${keyId}`, cookie, { name: 'renamed' })).status).toBe(200);
  });

  it('allow sixty agent changes a minute, and any number of reads', async () => {
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
    expect(new Set(refusals.map(code))).toEqual(new Set([tooMany]));
    expect(code(await owner.call('GET', owner.path))).toBe('200 SUCCESS');
    expect(code(await conversation.write('Hello'))).toBe('200 SUCCESS');
    await waitFor(refusals.at(-1)!);
    expect(code(await owner.call('DELETE', owner.path))).toBe('200 SUCCESS');
  });

  it('allow a hundred free counts of tokens a minute, and any number of models to be listed', async () => {
    const [owner, other] = [await service.person(), await service.person()];
    const body = { model: 'svc-1', messages: [{ role: 'user', content: 'Hello' }] };
    const count = ({ key }: { key: string }) =>
      service.call('POST', '/anthropic/v1/messages/count_tokens', { key, body });
    const counted = await inTurn(limits.tokenCountsPerMinute, () => count(owner));
    expect(new Set(counted.map(({ status }) => status))).toEqual(new Set([200]));
    const refused = await count(owner);
    expect(refused.status).toBe(429);
    expect((await count(other)).status).toBe(200);
    await waitFor(refused);
    expect((await count(owner)).status).toBe(200);
  });

  it('allow sixty uploads a minute, including refused ones', async () => {
    const { key } = await service.person();
    const codes = (await inTurn(limits.uploadsPerMinute, () => newUpload(service, key, 10))).map(code);
    expect(codes.filter((one) => one === '201 SUCCESS')).toHaveLength(longAudio.openUploads);
    expect(new Set(codes.slice(longAudio.openUploads))).toEqual(new Set(['409 INVALID_STATE']));
    const refused = await newUpload(service, key, 10);
    expect(code(refused)).toBe(tooMany);
    expect(code(await newUpload(service, (await service.person()).key, 10))).toBe('201 SUCCESS');
  });

  it('allow sixty audited reads of stored content a minute and reader, and any number of other reads', async () => {
    const { call: organizations, create, join, within } = organizationCalls(service);
    const [owner, reader] = [await service.person(), await service.person()];
    const id = await create(owner);
    await join(id, owner, reader, 'developer');
    const made = await within(id, 'POST', '/api/keys', { cookie: owner.cookie, body: { name: 'shared' } });
    const body = { contentType: 'application/json', bytes: 2, text: '{}', isTruncated: false };
    const requestId = 'stored';
    const stored = { requestId, at: services().clock.now(), days: 7, isStream: false, request: body, response: body };
    const place = { accountId: id, keyId: String(made.body.data.id), requestId };
    await (await services().contents()).put(place, contentOf(stored), 7, AbortSignal.timeout(5000));
    const read = ({ cookie }: { cookie: string }) =>
      within(id, 'GET', `/api/keys/${place.keyId}/content/${requestId}`, { cookie });
    const max = limits.contentReadsPerMinute;
    const codes = await inTurn(max + 1, async () => code(await read(reader)));
    expect(codes).toEqual([...times(max, () => '200 SUCCESS'), tooMany]);
    expect((await rowsOf('audit')).filter(({ pk }) => pk === `account#${id}`)).toHaveLength(max);
    expect(new Set(await inTurn(max + 1, async () => code(await read(owner))))).toEqual(new Set(['200 SUCCESS']));
    expect(code(await organizations('GET', `/${id}`, reader))).toBe('200 SUCCESS');
    await waitFor(await read(reader));
    expect(code(await read(reader))).toBe('200 SUCCESS');
  });
});
