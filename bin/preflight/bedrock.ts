import { GetFoundationModelAvailabilityCommand, GetInferenceProfileCommand } from '@aws-sdk/client-bedrock';
import { bedrockModel, bedrockRegion } from '#contract/offer/bedrock.ts';
import type { BedrockEndpoint } from '#contract/offer/offer.ts';
import { allEndpoints, type Stage } from '#lib/stage.ts';
import { type Clients, type Finding, isNamed, missing, ok } from './clients.ts';

/** Returns the Bedrock models of a stage, without duplicates. */
export function bedrockEndpoints(stage: Stage): readonly BedrockEndpoint[] {
  const all = allEndpoints(stage).filter((endpoint) => endpoint.kind === 'bedrock');
  return [...new Map(all.map((endpoint) => [`${endpoint.model} ${endpoint.region}`, endpoint])).values()];
}

/** Checks access to a model in its region and through its inference profile, without calling it. */
export async function checkBedrock({ bedrockIn }: Clients, endpoint: BedrockEndpoint): Promise<Finding> {
  const model = bedrockModel(endpoint);
  const client = bedrockIn(bedrockRegion(endpoint));
  const region = await client.config.region();
  const profile = model.kind === 'profile' ? model.id : model.kind === 'arn' && model.isProfile ? model.arn : undefined;
  try {
    if (profile !== undefined) {
      const { status } = await client.send(new GetInferenceProfileCommand({ inferenceProfileIdentifier: profile }));
      if (status !== 'ACTIVE') return missing(`The inference profile ${profile} is ${status} in ${region}.`);
    }
    if (model.kind === 'arn')
      return ok(profile === undefined ? 'an ARN, which is not checked' : 'the profile is active');
    const modelId = model.kind === 'profile' ? model.model : model.id;
    const found = await client.send(new GetFoundationModelAvailabilityCommand({ modelId }));
    if (found.regionAvailability !== 'AVAILABLE') return missing(`${modelId} is not available in ${region}.`);
    const isGranted = found.authorizationStatus === 'AUTHORIZED' && found.entitlementAvailability === 'AVAILABLE';
    if (isGranted && found.agreementAvailability?.status === 'AVAILABLE')
      return ok(`the account may call it in ${region}`);
    return missing(
      `The account may not call ${modelId} in ${region}: accept its agreement (Bedrock console, Model catalog).`,
    );
  } catch (error) {
    if (!isNamed(error, 'ResourceNotFoundException', 'ValidationException')) throw error;
    return missing(
      `${endpoint.model} does not exist in ${region}: use the id of a model or inference profile of the region (Bedrock console).`,
    );
  }
}
