import { ofType } from '../synth.ts';
import { type Whole } from '../whole.ts';

interface Behaviour {
  readonly PathPattern?: string;
  readonly TargetOriginId: string;
  readonly CachePolicyId: unknown;
  readonly ViewerProtocolPolicy: string;
  readonly AllowedMethods?: readonly string[];
  readonly Compress: boolean;
  readonly ResponseHeadersPolicyId: { readonly Ref: string };
}

interface Origin {
  readonly Id: string;
  readonly OriginPath?: string;
  readonly CustomOriginConfig?: { OriginReadTimeout: number; OriginProtocolPolicy: string };
  readonly OriginCustomHeaders?: readonly { HeaderName: string; HeaderValue: unknown }[];
}

interface DistributionConfig {
  readonly CacheBehaviors: readonly Behaviour[];
  readonly Origins: readonly Origin[];
}

/** The CloudFront distribution of a template: the origin of a behavior, and the behaviors for the API. */
export function distributionOf(template: Whole) {
  const [[, distribution] = []] = ofType(template, 'AWS::CloudFront::Distribution');
  const config = distribution!.Properties['DistributionConfig'] as DistributionConfig;
  const originOf = ({ TargetOriginId }: Behaviour) => config.Origins.find(({ Id }) => Id === TargetOriginId)!;
  const toApi = config.CacheBehaviors.filter((behaviour) => originOf(behaviour).CustomOriginConfig);
  return { originOf, toApi };
}
