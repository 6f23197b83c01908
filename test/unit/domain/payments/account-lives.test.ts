import { expect, it } from 'vitest';
import { atLength, patience, seed, times } from '#test/many.ts';
import { wholeLife } from '#test/payments/lives/whole-life.ts';

const shards = 4;
const lives = atLength(30, 2500);

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
