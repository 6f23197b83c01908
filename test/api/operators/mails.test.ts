import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ambient, resetEnvironment } from '#runtime/process.ts';
import { services } from '#runtime/services/container.ts';
import { type Person, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
let operator: Person;
beforeAll(async () => {
  service = await startTestService();
  operator = await service.person();
  await (await services().operators()).actions().setRole(operator.email, 'operator');
});
afterAll(() => service.close());

const mailsOf = async (id: number) =>
  (await service.call('GET', `/api/operator/accounts/${id}/mails`, { cookie: operator.cookie })).body.data;
const subjects = ({ mails }: { mails: { subject: string }[] }) => mails.map(({ subject }) => subject);

describe('an operator sees which mails went to an account', () => {
  it('with their state and time, newest first, and nothing of their text', async () => {
    const { id, email, password, cookie } = await service.person();
    const newPassword = 'a further river bank';
    await service.call('POST', '/api/auth/forgot-password', { body: { email } });
    for (let step = 0; step < 3; step++) await service.settled();
    await service.call('POST', '/api/auth/change-password', {
      cookie,
      body: { currentPassword: password, newPassword },
    });
    await service.settled();
    const data = await mailsOf(id);
    expect(subjects(data)).toEqual(['Your password was changed', 'Reset your password', 'Confirm your email address']);
    for (const mail of data.mails) {
      expect(mail).toEqual({
        subject: expect.any(String),
        at: expect.stringMatching(/^\d{4}-/),
        state: 'sent',
        stateAt: expect.stringMatching(/^\d{4}-/),
      });
    }
    expect(data.suppression).toBeNull();
    expect(JSON.stringify(data)).not.toMatch(/token|ta[rc]_|http/);
  });

  it('and why a further one was not sent: its address bounced', async () => {
    const email = 'bounce+operators@simulator.amazonses.com';
    const { body, headers } = await service.call('POST', '/api/auth/register', {
      body: { email, name: 'Ada', password_hash: 'a quiet river bank' },
    });
    await service.settled();
    const cookie = headers.getSetCookie()[0]!.split(';')[0]!;
    await service.call('POST', '/api/auth/resend-confirmation', { cookie });
    await service.settled();
    const { mails, suppression } = await mailsOf(body.data.id);
    expect(mails.map(({ state }: { state: string }) => state)).toEqual(['suppressed', 'sent']);
    expect(suppression).toEqual({ reason: 'bounce', at: expect.stringMatching(/^\d{4}-/) });
  });

  it('of the last 30 days, 20 at most, also of an account that is deleted', async () => {
    const { id, cookie, email, password } = await service.person();
    await service.call('POST', '/api/auth/delete-account', { cookie, body: { email, password } });
    await service.settled();
    expect(subjects(await mailsOf(id))).toEqual(['Your account was deleted', 'Confirm your email address']);
    const { clock } = ambient;
    const later = clock.now() + 30 * 86_400_000 + 60_000;
    ambient.clock = { now: () => later };
    resetEnvironment();
    const reads = await (await services().operators()).reads().mails(id);
    ambient.clock = clock;
    resetEnvironment();
    expect(reads.mails).toEqual([]);
  });
});
