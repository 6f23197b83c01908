import { describe, expect, it, vi } from 'vitest';
import { checkDeployable } from '#lib/deployable.ts';
import { live, parseStage } from '#lib/stages.ts';
import { preflight } from '../../../bin/preflight/checks.ts';
import { run } from '../../../bin/preflight/clients.ts';
import { startStubAws } from '../stub-aws.ts';
import { readyAccount } from './account.ts';

const mail = { ...live.mail, sender: 'no-reply@own-domain.net' };
const alarms = { ...live.alarms, email: 'operators@own-domain.net' };
const deployable = parseStage({ ...live, mail, alarms });

describe('a deployment', () => {
  it.each([
    'example.com',
    'mail.example.org',
    'example.net',
    'text.test',
    'a.example',
    'text.invalid',
    'mail.localhost',
    'Text.EXAMPLE.com',
    'intranet.local',
  ])('is refused with a mail sender in the reserved domain %s', (domain) => {
    const stage = parseStage({ ...live, alarms, mail: { ...mail, sender: `no-reply@${domain}` } });
    expect(() => checkDeployable(stage)).toThrow(
      `the stage live cannot be deployed: mail.sender must be in a domain of yours: ${domain} is reserved`,
    );
  });

  it.each(['own-domain.net', 'test.own-domain.net', 'myexample.com', 'localhost.own-domain.net'])(
    'may send emails from %s',
    (domain) => {
      expect(checkDeployable(parseStage({ ...live, alarms, mail: { ...mail, sender: `a@${domain}` } }))).toBeDefined();
    },
  );

  it('is refused without an alarm address, unless the stage has no gradual rollout', () => {
    const silent = { ...live, mail, alarms: live.alarms };
    expect(() => checkDeployable(parseStage(silent))).toThrow(/alarms\.email must be an address/);
    expect(checkDeployable(parseStage({ ...silent, rollout: 'all-at-once' }))).toBeDefined();
    expect(checkDeployable(deployable)).toBe(deployable);
  });
});

describe('preflight', () => {
  it('reports a service that the region does not offer as missing', async () => {
    const hostname = 'email.xx-test-1.amazonaws.com';
    const error = Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND', hostname });
    expect(await run('SES sending', () => Promise.reject(error))).toEqual({
      name: 'SES sending',
      status: 'missing',
      detail: expect.stringContaining(`${hostname} does not exist: the region does not have this service`),
    });
  });

  it('checks production access for messages only if the stage names countries', async () => {
    const aws = await startStubAws();
    for (const [name, value] of Object.entries(aws.credentials)) vi.stubEnv(name, value);
    const messagesOf = async (countries: readonly string[], tier = 'SANDBOX') => {
      aws.play({
        ...readyAccount,
        DescribeAccountAttributes: { body: { AccountAttributes: [{ Name: 'ACCOUNT_TIER', Value: tier }] } },
      });
      const stage = parseStage({ ...live, mail, alarms, messages: { ...live.messages, countries } });
      return (await preflight(stage)).find(({ name }) => name === 'Messages');
    };
    try {
      expect(await messagesOf([])).toBeUndefined();
      expect(await messagesOf(['DE'])).toMatchObject({ status: 'missing', detail: expect.stringMatching(/sandbox/) });
      expect(await messagesOf(['DE'], 'PRODUCTION')).toMatchObject({ status: 'ok' });
    } finally {
      vi.unstubAllEnvs();
      await aws.close();
    }
  });
});
