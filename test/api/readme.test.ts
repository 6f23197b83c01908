import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeFolder, testFolder } from '#test/folder.ts';
import { AccountModel, type PlanName } from '#test/meter/account-model.ts';
import { startTestService, type TestService } from '#test/service/service.ts';

const readme = await readFile('README.md', 'utf8');
const [, walk = ''] = /## Six months in a minute\n.*?```sh\n(.*?)```/s.exec(readme) ?? [];
const [, purchase = ''] = /## Buy credits\n.*?```sh\n(.*?)```/s.exec(readme) ?? [];
const lines = walk.split('\n');
const promised = [...walk.matchAll(/^(?:balance|later \w+) +# (\d+)/gm)].map(([, balance]) => Number(balance));

/** The shell blocks of the README, in order, up to the end of the test period. */
const pasted = Array.from(readme.matchAll(/```sh\n(.*?)```/gs), ([, block = '']) => block).filter((block) =>
  block.includes('$API'),
);

/** Runs lines of the README in one shell against a new service. */
async function paste(edit: (lines: string) => string): Promise<string> {
  const service = await startTestService();
  const folder = await testFolder();
  try {
    const lines = edit(pasted.join('\n')).replaceAll('http://127.0.0.1:8787', service.origin);
    const { stdout, stderr } = await promisify(execFile)('sh', ['-e', '-c', lines], { cwd: folder });
    expect(stderr).toBe('');
    return stdout;
  } finally {
    await service.close();
    await removeFolder(folder);
  }
}

describe('the commands of the README', () => {
  it('work when pasted from top to bottom in one shell', async () => {
    expect(pasted.join('\n')).not.toMatch(/…|YOUR_/);
    const stdout = await paste((lines) => lines);
    const messages = Array.from(stdout.matchAll(/"message":"(\w+)"/g), ([, message]) => message);
    expect(messages.slice(0, 4)).toEqual(['SUCCESS', 'CONFIRMATION_LINK_SENT', 'ACCOUNT_CONFIRMED', 'SUCCESS']);
    expect(stdout).not.toContain('"error":true');
    expect(stdout).toContain('demo engine');
  });

  const mail = '/_local/mail';
  const untilConfirmed = (lines: string): string => lines.slice(0, lines.indexOf('export API_KEY=$(curl -s -b'));

  it('find the link of an address with capitals, which appears only once', async () => {
    const stdout = await paste((lines) => untilConfirmed(lines.replace('me@example.com', 'Ada.Me+1@Example.COM')));
    expect(stdout).toContain('"message":"ACCOUNT_CONFIRMED"');
  });

  it('stop without an email, with an error that names the token', async () => {
    const stdout = await paste((lines) =>
      untilConfirmed(lines.replace(mail, `${mail}-of-nobody`).replace('sleep 1', 'sleep 0')),
    );
    expect(stdout).toMatch(/"error":true.*token/s);
  });
});

describe('the README’s purchase', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ payments: 'stripe' });
  });
  afterAll(() => service.close());

  it('uses up the credits, pays for a plan and continues', async () => {
    const { key } = await service.person();
    const env = { ...process.env, API: service.origin, API_KEY: key };
    const [functions = ''] = walk.split('\n\n');
    const { stdout } = await promisify(execFile)('sh', ['-e', '-c', `${functions}\n${purchase}`], { env });
    const [refused, done, paid, balance, chat] = stdout.trim().split('\n');
    expect(refused).toContain('"message":"INSUFFICIENT_CREDITS"');
    expect(done).toBe('{"done":true}');
    expect(paid).toContain('"status":"granted"');
    expect(balance).toBe('"balance":5000');
    expect(chat).toContain('demo engine');
  });
});

describe('the README’s walk of six months in a minute', () => {
  it.each(['none', 'stripe'] as const)('shows the promised balances with payments by %s', async (payments) => {
    const service = await startTestService({ payments });
    const { key } = await service.person();
    const env = { ...process.env, API: service.origin, API_KEY: key };
    const { stdout } = await promisify(execFile)('sh', ['-c', walk], { env });
    await service.close();
    const balances = [...stdout.matchAll(/^"balance":(\d+)$/gm)].map(([, balance]) => Number(balance));
    expect(promised.length).toBeGreaterThan(7);
    expect(balances).toEqual(promised);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('{"message":"SUCCESS","error":false,"data":null,"status":200}');
  });

  it('shows the same balances on any start date', () => {
    for (let day = 0; day < 2 * 366; day++) {
      const model = new AccountModel(Date.UTC(2027, 0, 1 + day, 12) / 1000);
      const shown: number[] = [];
      for (const line of lines) {
        const [, plan] = /"newPlanId": "(\w+)"/.exec(line) ?? [];
        const [, days = 0, hours = 0] = /^later P(\d+)D(?:T(\d+)H)?/.exec(line) ?? [];
        model.tick(model.now + 60 + 86_400 * Number(days) + 3600 * Number(hours));
        const [, subscribed] = /^subscribe (\w+)/.exec(line) ?? [];
        if (subscribed) model.subscribe(subscribed as PlanName);
        if (line.includes('/downgrade-plan')) model.downgrade(plan as PlanName);
        if (line.includes('/cancel')) model.cancel();
        if (line.includes('/chat/completions')) {
          model.admit('call', 1e6, model.now + 1);
          model.settle('call', 1e6);
        }
        if (/^(balance|later \w+) +#/.test(line)) shown.push(model.spendable / 1e6);
      }
      expect([day, shown]).toEqual([day, promised]);
    }
  });
});
