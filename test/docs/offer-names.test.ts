import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { defaultOffer } from '#contract/offer/default-offer.ts';

test('no module outside the default offer names a model or a plan of it', () => {
  const names = [...defaultOffer.models.map(({ id }) => id), ...defaultOffer.plans.map(({ name }) => name)];
  const pattern = `(^|[^a-z_-])(${names.join('|')})([^a-z_-]|$)`;
  const folders = ['functions', 'lib', 'bin', 'local', 'dashboard/src'];
  const found = execFileSync('git', ['grep', '--untracked', '-nE', pattern, '--', ...folders], { encoding: 'utf8' });
  expect(
    found
      .split('\n')
      .filter(
        (line) => line && !/^(functions\/contract\/offer\/default-offer\.ts|bin\/openapi\/examples\.json):/.test(line),
      ),
  ).toEqual([]);
});
