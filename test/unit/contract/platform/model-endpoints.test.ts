import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { models } from '#contract/inference/models.ts';
import { Environment } from '#contract/platform/environment.ts';

describe('the endpoint of a model', () => {
  const endpoints = (setting: unknown) =>
    v.parse(Environment, { MODEL_ENDPOINTS: JSON.stringify(setting) }).MODEL_ENDPOINTS;

  it('comes from the catalog unless the stage overrides it', () => {
    expect([...endpoints({})]).toEqual(models.map(({ id, endpoint, family }) => [id, { endpoint, family }]));
    const given = endpoints({
      'svc-1': 'Llama-Live',
      'svc-code': { family: 'tgi' },
      'svc-instruct': { endpoint: 'shared', family: 'lmi', servedName: 'instruct' },
      'svc-embed': { family: 'tei', endpoint: 'bge' },
    });
    expect(Object.fromEntries(given)).toMatchObject({
      'svc-1': { endpoint: 'Llama-Live', family: 'vllm' },
      'svc-1-32k': { endpoint: 'svc-1-32k', family: 'vllm' },
      'svc-code': { endpoint: 'svc-code', family: 'tgi' },
      'svc-instruct': { endpoint: 'shared', family: 'lmi', servedName: 'instruct' },
      'svc-embed': { endpoint: 'bge', family: 'tei' },
    });
  });

  it.each([
    [{ 'svc-2': 'x' }, /must name models/],
    [{ 'svc-1': 'no name' }, /the name of an endpoint/],
    [{ 'svc-1': { family: 'ollama' } }, /vllm, lmi, tgi, tei/],
    [{ 'svc-1': { familly: 'tgi' } }, /vllm, lmi, tgi, tei/],
    [{ 'svc-1': { family: 'tei' } }, /a family that serves the model/],
    [{ 'svc-embed': { family: 'tgi' } }, /a family that serves the model/],
  ])('cannot be %j', (setting, rule) => {
    expect(() => endpoints(setting)).toThrow(rule);
  });
});
