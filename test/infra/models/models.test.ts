import { describe, expect, test } from 'vitest';
import { routes } from '#contract/routes.ts';
import { containerEnvironment } from '#lib/constructs/models/container.ts';
import type { HostedModel } from '#lib/hosted-model.ts';
import { otherStage } from '#test/stages/other-stage.ts';
import { functionId, ofType, synthesise } from '../synth.ts';

const { models, api } = await synthesise({ stage: otherStage, buffered: true });
const { models: none, own } = await synthesise();
const name = 'text-ai-other-svc-code';
const hosted = otherStage.models.hosted['svc-code']!;
const timeouts = { ModelDataDownloadTimeoutInSeconds: 600, ContainerStartupHealthCheckTimeoutInSeconds: 900 };
const one = (type: string): Record<string, any> => {
  const found = ofType(models, type);
  expect(found).toHaveLength(1);
  return found[0]![1].Properties;
};

describe('a hosted model', () => {
  test('runs in its container on an endpoint that can scale to zero instances', () => {
    expect(one('AWS::SageMaker::Model')['PrimaryContainer']).toEqual({
      Image: hosted.image,
      Environment: {
        SM_VLLM_MAX_MODEL_LEN: '4096',
        SM_VLLM_TENSOR_PARALLEL_SIZE: '1',
        SM_VLLM_MODEL: '/opt/ml/model',
      },
      ModelDataSource: {
        S3DataSource: { S3Uri: 's3://weights/llama/', S3DataType: 'S3Prefix', CompressionType: 'None' },
      },
    });
    expect(one('AWS::SageMaker::EndpointConfig')['ProductionVariants']).toMatchObject([
      {
        VariantName: 'AllTraffic',
        InferenceAmiVersion: 'al2-ami-sagemaker-inference-gpu-3-1',
        ManagedInstanceScaling: { Status: 'ENABLED', MinInstanceCount: 0, MaxInstanceCount: 2 },
        ...timeouts,
      },
    ]);
    expect(one('AWS::SageMaker::InferenceComponent')).toMatchObject({
      EndpointName: name,
      InferenceComponentName: name,
      Specification: { StartupParameters: timeouts },
    });
  });

  test('scales with concurrent requests, to zero without traffic, and back to one for the first call', () => {
    expect(one('AWS::ApplicationAutoScaling::ScalableTarget')).toMatchObject({
      ResourceId: `inference-component/${name}`,
      ScalableDimension: 'sagemaker:inference-component:DesiredCopyCount',
      MinCapacity: 0,
      MaxCapacity: 2,
    });
    const policies = ofType(models, 'AWS::ApplicationAutoScaling::ScalingPolicy').map(
      ([, { Properties }]) => Properties,
    );
    expect(policies).toMatchObject([
      {
        PolicyType: 'TargetTrackingScaling',
        TargetTrackingScalingPolicyConfiguration: {
          TargetValue: 8,
          PredefinedMetricSpecification: {
            PredefinedMetricType: 'SageMakerInferenceComponentConcurrentRequestsPerCopyHighResolution',
          },
        },
      },
      { PolicyType: 'StepScaling', StepScalingPolicyConfiguration: { StepAdjustments: [{ ScalingAdjustment: 1 }] } },
    ]);
    expect(one('AWS::CloudWatch::Alarm')).toMatchObject({ MetricName: 'NoCapacityInvocationFailures' });
  });

  test('can read only its own image and its own weights', () => {
    const { Statement } = one('AWS::IAM::Policy')['PolicyDocument'] as {
      Statement: { Action: string | string[]; Resource: unknown; Condition?: unknown }[];
    };
    const granted = (action: string) =>
      Statement.filter(({ Action }) => [Action].flat().includes(action)).map(({ Resource, Condition }) => [
        JSON.stringify(Resource),
        Condition,
      ]);
    expect(granted('ecr:BatchGetImage')).toEqual([
      [expect.stringMatching(/:ecr:eu-west-1:111111111111:repository\/vllm"/), undefined],
    ]);
    expect(granted('s3:GetObject')).toEqual([[expect.stringMatching(/:s3:::weights\/llama\/\*"/), undefined]]);
    const prefix = { StringLike: { 's3:prefix': 'llama/*' } };
    expect(granted('s3:ListBucket')).toEqual([[expect.stringMatching(/:s3:::weights"/), prefix]]);
    const wide = Statement.filter(({ Resource }) => Resource === '*').map(({ Action }) => Action);
    expect(wide).toEqual(['ecr:GetAuthorizationToken']);
  });

  test('is in the environment of the functions that use it, which may invoke it', () => {
    const variables = ofType(api, 'AWS::Lambda::Function').find(
      ([, fn]) => functionId(fn) === 'create-chat-completion',
    )![1].Properties['Environment'] as { Variables: Record<string, string> };
    const endpoints = JSON.parse(variables.Variables['MODEL_ENDPOINTS']!);
    expect(endpoints['svc-code']).toEqual({ endpoint: name, family: 'vllm', component: name });
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
