import type { BedrockEndpoint } from './offer.ts';

/** Prefixes of system-defined inference profiles (Bedrock "Supported Regions and models for inference profiles"). */
const profile = /^(?:us|us-gov|eu|apac|au|ca|jp|global)\.(?<model>.+)$/;

const isArn = (model: string): boolean => model.startsWith('arn:');

/** Region of the calls. Default: the region of the functions. */
export const bedrockRegion = ({ model, region }: BedrockEndpoint): string | undefined =>
  (isArn(model) ? model.split(':')[3] : undefined) || region;

/** `model` is the model behind a system-defined profile. The profile of an application does not name its model. */
export type BedrockModel =
  | { readonly kind: 'model'; readonly id: string }
  | { readonly kind: 'profile'; readonly id: string; readonly model: string }
  | { readonly kind: 'arn'; readonly arn: string; readonly isProfile: boolean };

export function bedrockModel({ model }: BedrockEndpoint): BedrockModel {
  if (isArn(model)) return { kind: 'arn', arn: model, isProfile: /:(?:application-)?inference-profile\//.test(model) };
  const routed = profile.exec(model)?.groups?.['model'];
  return routed === undefined ? { kind: 'model', id: model } : { kind: 'profile', id: model, model: routed };
}
