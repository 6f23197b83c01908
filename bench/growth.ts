import { type BenchAccount, benchAccounts } from './shared/accounts.ts';
import { oursArm } from './shared/arms.ts';
import type { Child } from './shared/child.ts';
import type { BenchDatabase } from './shared/database.ts';
import { type Busy, Load } from './shared/load.ts';

/** Plans without a limit carry 200 concurrent calls of one account. */
const enterprise = 5;

export interface GrowthPoint extends Busy {
  readonly accounts: number;
  readonly concurrentCalls: number;
}

const workload = { size: '0.25 KB', stream: false } as const;

/** More accounts, sixteen calls at a time; then more calls at a time on one account. All against the embedded database. */
export async function measureGrowth(ours: Child, database: BenchDatabase, seconds: number): Promise<GrowthPoint[]> {
  const many = benchAccounts(1000, enterprise);
  await database.add(many);
  const points: GrowthPoint[] = [];
  for (const accounts of [1, 10, 100, 1000]) points.push(await point(ours, many.slice(0, accounts), 16, seconds));
  for (const concurrentCalls of [1, 4, 16, 50, 100, 200])
    points.push(await point(ours, many.slice(0, 1), concurrentCalls, seconds));
  return points;
}

async function point(ours: Child, accounts: readonly BenchAccount[], concurrentCalls: number, seconds: number) {
  const load = new Load(oursArm(ours, accounts, 'ours, real database'), workload);
  await load.busy(concurrentCalls, 0.5);
  return { accounts: accounts.length, concurrentCalls, ...(await load.busy(concurrentCalls, seconds)) };
}
