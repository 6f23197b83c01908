import { expect, it } from 'vitest';
import { atLength, patience, seed, times } from '#test/many.ts';
import { cancel, payPage } from '#test/payments/lives/acts.ts';
import { scriptedLife, wholeLife } from '#test/payments/lives/whole-life.ts';

const shards = 4;
const lives = atLength(30, 2500);
const minute = 60_000;

it.each(times(shards, (shard) => seed + shard * lives))(
  `${lives} lives from seed %i have credits for every cent, and the provider charges the amounts of the meter`,
  async (first) => {
    for (let one = first; one < first + lives; one++) {
      const { problems, life: lived } = await wholeLife(one);
      const { history } = lived;
      expect({ problems, ...(problems.length > 0 && { seed: one, history }) }).toEqual({ problems: [] });
    }
  },
  patience,
);

it('refunding an upgrade does not cancel the plan if an operator had continued it before', async () => {
  const problems = await scriptedLife([
    (life) => life.run(({ purchases }) => purchases.checkout(life.id, { planId: 'smm_pass' })),
    (life) => payPage(life, 'accepts'),
    (life) => life.advance(minute),
    cancel,
    (life) => life.run(({ plans }) => plans.assign(life.id, 'smm_pass')),
    (life) => life.run(({ plans }) => plans.upgrade(life.id, 'pro_pass')),
    async ({ bank }) => {
      const payment = [...bank.payments.values()].at(-1)!;
      bank.refund(payment, payment.cents);
    },
  ]);

  expect(problems).toEqual([]);
});
