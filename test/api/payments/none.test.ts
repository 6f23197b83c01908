import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { routes } from '#contract/routes.ts';
import { auditFindings, code, usePerson, useTestService } from '#test/service/service.ts';

const service = useTestService();
const person = usePerson(service);

describe('a service without payments', () => {
  it.each([
    ['GET', '/api/payments/packs', undefined],
    ['POST', '/api/payments/checkout', { pack: 'credits_500' }],
    ['GET', '/api/payments', undefined],
    ['GET', '/api/payments/ord_1', undefined],
    ['POST', '/api/payments/portal', undefined],
    ['GET', '/api/payments/auto-top-up', undefined],
    ['PUT', '/api/payments/auto-top-up', { threshold: 1, pack: 'credits_500', monthlyLimit: 10_000 }],
  ])('refuses %s %s with 409', async (method, path, body) => {
    expect(code(await service.call(method, path, { key: person.key, body }))).toBe('409 INVALID_STATE');
  });

  it('refuses events with 409', async () => {
    const { method, path } = routes.receiveStripeEvent;
    expect(code(await service.call(method, path, { body: {} }))).toBe('409 INVALID_STATE');
  });

  it('grants plans and upgrades immediately, without payment', async () => {
    const { key } = await service.person();
    const made = await service.call('POST', '/api/subscription/create', {
      key,
      body: { planId: 'dev_pass', billingCycle: 'monthly' },
    });
    expect(made).toMatchObject({ status: 200, body: { data: { planId: 'dev_pass', status: 'active' } } });
    const grown = await service.call('PUT', '/api/subscription/upgrade-plan', { key, body: { newPlanId: 'smm_pass' } });
    expect(grown).toMatchObject({ status: 200, body: { data: { planId: 'smm_pass' } } });
  });

  it('never loads the package stripe, unlike a service with payments', async () => {
    const loaded = async (payments: string): Promise<boolean> => {
      const program = `
        import { registerHooks } from 'node:module';
        const seen = [];
        registerHooks({ resolve(specifier, context, next) {
          const found = next(specifier, context);
          seen.push(found.url);
          return found;
        } });
        const { startService } = await import('#local/start/service.ts');
        const service = await startService({ port: 0, data: process.argv[1], payments: ${JSON.stringify(payments)} });
        await fetch(service.origin + '/api/payments/packs', { headers: { authorization: 'Bearer ' + service.status.demo?.apiKey } });
        await fetch(service.origin + '/api/payments', { headers: { authorization: 'Bearer ' + service.status.demo?.apiKey } });
        await service.close();
        console.log(seen.some((url) => url.includes('/node_modules/stripe/')));
        process.exit();
      `;
      const { mkdtemp } = await import('node:fs/promises');
      const folder = await mkdtemp(`${process.env['TMPDIR'] ?? '/tmp'}/none-`);
      const { stdout } = await promisify(execFile)(process.execPath, [
        '--input-type=module',
        '--eval',
        program,
        folder,
      ]);
      return stdout.trim() === 'true';
    };
    expect(await Promise.all([loaded('none'), loaded('stripe')])).toEqual([false, true]);
  });

  it('lists no packs with the plans', async () => {
    const { body } = await service.call('GET', '/api/subscription/plans', { key: person.key });
    expect(Object.keys(body.data)).toEqual(['plans']);
  });

  it('keeps exact ledgers', async () => {
    expect(await auditFindings(service)).toEqual([]);
  });
});
