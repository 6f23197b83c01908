import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { models } from '#contract/inference/models.ts';
import { Environment } from '#contract/platform/environment.ts';

describe('the endpoint of a model', () => {
  const endpoints = (setting: unknown) =>
    v.parse(Environment, { MODEL_ENDPOINTS: JSON.stringify(setting) }).MODEL_ENDPOINTS;

  it('comes from the catalog unless the stage overrides it', () => {
    expect([...endpoints({})]).toEqual(models.map(({ id, endpoints: offered }) => [id, offered]));
    const given = endpoints({
      'svc-1': 'Llama-Live',
      'svc-code': { family: 'tgi' },
      'svc-instruct': { endpoint: 'shared', family: 'lmi', servedName: 'instruct' },
      'svc-embed': { family: 'tei', endpoint: 'bge' },
    });
    expect(Object.fromEntries(given)).toMatchObject({
      'svc-1': [{ endpoint: 'Llama-Live', family: 'vllm' }],
      'svc-1-32k': [{ endpoint: 'svc-1-32k', family: 'vllm' }],
      'svc-code': [{ endpoint: 'svc-code', family: 'tgi' }],
      'svc-instruct': [{ endpoint: 'shared', family: 'lmi', servedName: 'instruct' }],
      'svc-embed': [{ endpoint: 'bge', family: 'tei' }],
    });
  });

  it('may have up to two fallbacks, of any kind that has one of its capabilities', () => {
    const bedrock = { kind: 'bedrock', model: 'us.amazon.nova-lite-v1:0', region: 'us-east-1' };
    const openai = { kind: 'openai', url: 'https://models.acme.example/v1', model: 'large', secret: 'acme' };
    expect(endpoints({ 'svc-1': [{ family: 'lmi' }, bedrock, openai] }).get('svc-1')).toEqual([
      { kind: 'sagemaker', endpoint: 'svc-1', family: 'lmi' },
      bedrock,
      openai,
    ]);
    expect(endpoints({ 'svc-embed': openai }).get('svc-embed')).toEqual([openai]);
    expect(endpoints({ 'svc-speech': ['other', openai] }).get('svc-speech')).toEqual([
      { kind: 'sagemaker', endpoint: 'other', family: 'omni' },
      openai,
    ]);
  });

  it.each([
    [{ 'svc-2': 'x' }, /must name models/],
    [{ 'svc-1': 'no name' }, /the name of an endpoint/],
    [{ 'svc-1': { family: 'ollama' } }, /vllm, lmi, tgi, tei/],
    [{ 'svc-1': { familly: 'tgi' } }, /vllm, lmi, tgi, tei/],
    [{ 'svc-1': { family: 'tei' } }, /a family that serves the model/],
    [{ 'svc-embed': { family: 'tgi' } }, /a family that serves the model/],
    [{ 'svc-1': { kind: 'bedrock', model: 'amazon.nova-lite-v1:0' } }, /a family that serves the model/],
    [{ 'svc-embed': ['svc-embed', { kind: 'bedrock', model: 'amazon.nova-lite-v1:0' }] }, /that serves the model/],
    [{ 'svc-1': [] }, /a list of up to 3/],
    [{ 'svc-1': ['a', 'b', 'c', 'd'] }, /a list of up to 3/],
    [{ 'svc-1': { kind: 'openai', model: 'm' } }, /an endpoint of an offer/],
  ])('cannot be %j', (setting, rule) => {
    expect(() => endpoints(setting)).toThrow(rule);
  });
});
