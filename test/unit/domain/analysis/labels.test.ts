import { describe, expect, it } from 'vitest';
import type { AnalysisName } from '#contract/analysis/names.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import { bpeTokenizer } from '#gateways/tokenizer.ts';
import { analysisBy, model, reply } from '#test/models/analysis-model.ts';

describe('labels', () => {
  const labelsOf = (letter: string) => Array.from({ length: 20 }, (_, at) => `${at}`.padEnd(2) + letter.repeat(62));
  const analyses: AnalysisName[] = ['categories', 'entities'];
  const request = (labels: string[]) => ({ text: 'Ada wrote. '.repeat(450), analyses, labels });

  it.each(['a', 'é', 'Q'])('of the longest sort leave room for a text: %s', async (letter) => {
    const { analyze, requests } = analysisBy(() => reply({ categories: [], entities: [] }));
    await analyze(request(labelsOf(letter)));
    for (const { messages, max_tokens: output } of requests) {
      const user = await bpeTokenizer.count(String(messages[1]?.['content']));
      expect(user + output).toBeLessThanOrEqual(model.contextWindow - 64);
    }
  });

  it('that leave none are refused once the credential is proved, before the model is called', async () => {
    const { order, requests } = analysisBy(() => reply({ categories: [], entities: [] }));
    const labels = labelsOf('😀');
    const proofs: string[] = [];
    const prove = async () => void proofs.push('proved');
    await expect(order(request(labels), prove)).rejects.toMatchObject({
      code: 'INVALID_FORMAT',
      message: expect.stringMatching(/^labels must leave room for the text in the 4096 tokens of svc-instruct: /),
    });
    expect([proofs, requests]).toEqual([['proved'], []]);
    const unproved = async () => {
      throw new ServiceError('INVALID_API_KEY', 'No such key.');
    };
    await expect(order(request(labels), unproved)).rejects.toMatchObject({ code: 'INVALID_API_KEY' });
  });
});
