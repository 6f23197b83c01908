import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccountModel, type PlanName } from '#test/meter/account-model.ts';
import { startTestService, type TestService } from '#test/service/service.ts';

const readme = await readFile('README.md', 'utf8');
const [, walk = ''] = /## Six months in a minute\n.*?```sh\n(.*?)```/s.exec(readme) ?? [];
const lines = walk.split('\n');
const promised = [...walk.matchAll(/^(?:balance|later \w+) +# (\d+)/gm)].map(([, balance]) => Number(balance));

describe('six months in a minute, as the README walks through them', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  it('show the balances it promises, and end without a subscription', async () => {
    const { key } = await service.person();
    const env = { ...process.env, API: service.origin, API_KEY: key };
    const { stdout } = await promisify(execFile)('sh', ['-c', walk], { env });
    const balances = [...stdout.matchAll(/^"balance":(\d+)$/gm)].map(([, balance]) => Number(balance));
    expect(promised.length).toBeGreaterThan(7);
    expect(balances).toEqual(promised);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('{"message":"SUCCESS","error":false,"data":null,"status":200}');
  });

  it('show the same on whatever day one begins', () => {
    for (let day = 0; day < 2 * 366; day++) {
      const model = new AccountModel(Date.UTC(2027, 0, 1 + day, 12) / 1000);
      const shown: number[] = [];
      for (const line of lines) {
        const [, plan] = /"(?:newPlanId|planId)": "(\w+)"/.exec(line) ?? [];
        model.tick(model.now + 60 + 86_400 * Number(/^later P(\d+)D/.exec(line)?.[1] ?? 0));
        if (line.includes('/subscription/create')) model.subscribe(plan as PlanName);
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
