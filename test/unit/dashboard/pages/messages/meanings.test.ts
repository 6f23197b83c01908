import { expect, it } from 'vitest';
import { failures } from '#contract/messages/names.ts';
import { failureMeanings, isFinal } from '../../../../../dashboard/src/pages/messages/message.ts';

it('each failure has a sentence of its own, which proposes the same again only where that can help', () => {
  const sentences = failures.map((failure) => failureMeanings[failure]);
  expect(new Set(sentences).size).toBe(failures.length);
  const helpless = failures.filter((failure) => !/(?:send it|call) again/i.test(failureMeanings[failure]));
  expect(failures.filter(isFinal)).toEqual(helpless);
});
