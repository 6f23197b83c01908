import { describe, expect, test } from 'vitest';
import { routes } from '#contract/routes.ts';
import type { HostedModel } from '#lib/hosted-model.ts';
import { containerEnvironment } from '#lib/stacks/models-stack.ts';
import { otherStage } from '#test/stages/other-stage.ts';
import { functionId, ofType, synthesise } from '../synth.ts';

const { api } = await synthesise({ stage: otherStage, buffered: true });
const { models: none, own } = await synthesise();
const name = 'text-ai-other-svc-code';
const hosted = otherStage.models.hosted['svc-code']!;

describe('a hosted model', () => {
  test('is in the environment of the functions that use it, which may invoke it', () => {
    const variables = ofType(api, 'AWS::Lambda::Function').find(
      ([, fn]) => functionId(fn) === 'create-chat-completion',
    )![1].Properties['Environment'] as { Variables: Record<string, string> };
    const endpoints = JSON.parse(variables.Variables['MODEL_ENDPOINTS']!);
    expect(endpoints['svc-code']).toEqual([{ kind: 'sagemaker', endpoint: name, family: 'vllm', component: name }]);
    const policies = ofType(api, 'AWS::IAM::Policy').filter(
      ([, policy]) => functionId(policy) === 'create-chat-completion',
    );
    expect(JSON.stringify(policies)).toContain(`:inference-component/${name}"`);
  });
});

test('a stage without hosted models has no stack for them', () => {
  expect(none.resources).toEqual({});
  expect(Object.keys(own).filter((path) => path.includes('models'))).toEqual([]);
});

describe('the environment of a container', () => {
  const environmentOf = (choices: Partial<HostedModel>, isEmbedding = false) =>
    containerEnvironment({ ...hosted, environment: {}, ...choices }, isEmbedding);
  const hub = 'Qwen/Qwen2.5-7B-Instruct';
  const downloaded = '/opt/ml/model';
  const twoGpus = { replica: { accelerators: 2, memoryMb: 8192 } };

  test('contains the weights and the GPUs of a replica for vLLM', () => {
    expect(environmentOf({ weights: hub, ...twoGpus })).toEqual({
      SM_VLLM_MODEL: hub,
      SM_VLLM_TENSOR_PARALLEL_SIZE: '2',
    });
  });

  test('contains the weights and the GPUs for LMI, and the async mode for text models', () => {
    const lmi = { family: 'lmi', ...twoGpus } as const;
    const text = {
      TENSOR_PARALLEL_DEGREE: '2',
      OPTION_ASYNC_MODE: 'true',
      OPTION_ROLLING_BATCH: 'disable',
      OPTION_ENTRYPOINT: 'djl_python.lmi_vllm.vllm_async_service',
    };
    expect(environmentOf({ ...lmi, weights: hub })).toEqual({ ...text, HF_MODEL_ID: hub });
    expect(environmentOf(lmi)).toEqual({ ...text, OPTION_MODEL_ID: downloaded });
    expect(environmentOf(lmi, true)).toEqual({ TENSOR_PARALLEL_DEGREE: '2', OPTION_MODEL_ID: downloaded });
  });

  test('allows the batch size and body size of our requests for TEI', () => {
    const tei = environmentOf({ family: 'tei' }, true);
    expect(tei).toEqual({ HF_MODEL_ID: downloaded, MAX_CLIENT_BATCH_SIZE: '32', PAYLOAD_LIMIT: '6000000' });
    expect(Number(tei['PAYLOAD_LIMIT'])).toBeGreaterThan(routes.createEmbeddings.maxBodyBytes);
  });

  test("contains the stage's settings instead of the defaults", () => {
    const environment = { SM_VLLM_TENSOR_PARALLEL_SIZE: '1' };
    expect(environmentOf({ weights: hub, ...twoGpus, environment })).toMatchObject(environment);
  });
});
