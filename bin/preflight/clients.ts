import { ACMClient } from '@aws-sdk/client-acm';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { PinpointSMSVoiceV2Client } from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { SageMakerClient } from '@aws-sdk/client-sagemaker';
import { ServiceQuotasClient } from '@aws-sdk/client-service-quotas';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { STSClient } from '@aws-sdk/client-sts';
import { WAFV2Client } from '@aws-sdk/client-wafv2';

/** CloudFront only accepts certificates of this region. */
const certificateRegion = 'us-east-1';

const options = { maxAttempts: 2, requestHandler: { connectionTimeout: 5000, requestTimeout: 10_000 } };

/** Clients of a region with the credentials of the environment or profile. Read-only. */
export const createClients = (region: string) => ({
  acm: new ACMClient({ ...options, region: certificateRegion }),
  cloudFormation: new CloudFormationClient({ ...options, region }),
  lambda: new LambdaClient({ ...options, region }),
  messages: new PinpointSMSVoiceV2Client({ ...options, region }),
  quotas: new ServiceQuotasClient({ ...options, region }),
  sageMaker: new SageMakerClient({ ...options, region }),
  ses: new SESv2Client({ ...options, region }),
  sts: new STSClient({ ...options, region }),
  waf: new WAFV2Client({ ...options, region }),
});
export type Clients = ReturnType<typeof createClients>;

export async function regionOf(own: string | undefined): Promise<string | undefined> {
  const region = [own, process.env['AWS_REGION'], process.env['AWS_DEFAULT_REGION']].find(Boolean);
  if (region !== undefined) return region;
  try {
    return await new STSClient().config.region();
  } catch {
    return undefined;
  }
}
