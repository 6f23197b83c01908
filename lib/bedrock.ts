import type { Stack } from 'aws-cdk-lib';
import { bedrockModel, bedrockRegion } from '#contract/offer/bedrock.ts';
import type { BedrockEndpoint } from '#contract/offer/offer.ts';

interface Grant {
  readonly resources: readonly string[];
  /** The profile through which alone the resources may be used. */
  readonly profile?: string;
}

/**
 * What a call of a model needs. A profile routes to other regions, so that the model is granted in all, but only through
 * the profile (Bedrock "Prerequisites for inference profiles").
 */
export function bedrockGrants(
  endpoint: BedrockEndpoint,
  { partition, account, region: own }: Pick<Stack, 'partition' | 'account' | 'region'>,
): Grant[] {
  const region = bedrockRegion(endpoint) ?? own;
  const model = bedrockModel(endpoint);
  const modelArn = (id: string, of: string): string => `arn:${partition}:bedrock:${of}::foundation-model/${id}`;
  if (model.kind === 'model') return [{ resources: [modelArn(model.id, region)] }];
  if (model.kind === 'arn') {
    const through = { resources: [modelArn('*', '*')], profile: model.arn };
    return [{ resources: [model.arn] }, ...(model.isProfile ? [through] : [])];
  }
  const profile = `arn:${partition}:bedrock:${region}:${account}:inference-profile/${model.id}`;
  return [{ resources: [profile] }, { resources: [modelArn(model.model, '*')], profile }];
}
