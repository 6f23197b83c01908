import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readNumber } from '#gateways/phone-numbers.ts';
import { sceneOf } from '#local/messages/carrier.ts';
import { nextTestNumber, testDigits, testNumbers } from '../../dashboard/src/pages/messages/message.ts';

describe('the test numbers', () => {
  it('are accepted and delivered by the service, and each click inserts a different one', () => {
    for (const to of testNumbers)
      expect([to, readNumber(to), sceneOf(to)]).toEqual([
        to,
        { country: 'US', isCostly: false },
        sceneOf('+14155550100'),
      ]);
    expect(new Set(testNumbers).size).toBe(450);
    const [first = ''] = testNumbers;
    for (let count = 0; count < 50; count += 1) expect(nextTestNumber(first)).not.toBe(first);
  });

  it('have the endings that docs/guides/messages.md lists', () => {
    const [, table = ''] = readFileSync('docs/guides/messages.md', 'utf8').split('| Digits | |\n| --- | --- |\n');
    const documented = Array.from(table.split('\n\n')[0]?.matchAll(/^\| (\w+) \|/gm) ?? [], ([, digits]) => digits);
    expect(documented).toEqual(testDigits().map(([digits]) => digits));
    expect(documented).toContain('07');
  });
});
