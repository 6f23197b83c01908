import { describe, expect, it } from 'vitest';
import { checkDeployable } from '#lib/deployable.ts';
import { live, parseStage } from '#lib/stages.ts';

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
