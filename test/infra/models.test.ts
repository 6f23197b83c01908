import { describe, expect, test } from 'vitest';
import { otherStage } from '#test/stages/other-stage.ts';
import { functionId, ofType, synthesise } from './synth.ts';

const { models, api } = await synthesise({ stage: otherStage, buffered: true });
const { models: none, own } = await synthesise();
const name = 'text-ai-other-svc-code';
const one = (type: string): Record<string, any> => {
  const found = ofType(models, type);
  expect(found).toHaveLength(1);
  return found[0]![1].Properties;
};

describe('a model that the stage hosts', () => {
  test('runs in its container on an endpoint that scales to zero instances', () => {
    expect(one('AWS::SageMaker::Model')['PrimaryContainer']).toEqual({
      Image: otherStage.models.hosted['svc-code']!.image,
      Environment: { SM_VLLM_MAX_MODEL_LEN: '4096', SM_VLLM_MODEL: 's3://weights/llama/' },
    });
    expect(one('AWS::SageMaker::EndpointConfig')['ProductionVariants']).toMatchObject([
      {
        VariantName: 'AllTraffic',
        ManagedInstanceScaling: { Status: 'ENABLED', MinInstanceCount: 0, MaxInstanceCount: 2 },
      },
    ]);
    expect(one('AWS::SageMaker::InferenceComponent')).toMatchObject({
      EndpointName: name,
      InferenceComponentName: name,
    });
  });

  test('scales its replicas with concurrent requests, to zero without traffic, and to one again for the first call', () => {
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

  test('is in the environment of its functions, and granted to them', () => {
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

test('a stage that hosts nothing has no stack for it', () => {
  expect(none.resources).toEqual({});
  expect(Object.keys(own).filter((path) => path.includes('models'))).toEqual([]);
});
