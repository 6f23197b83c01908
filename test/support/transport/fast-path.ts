import { afterAll, beforeAll } from 'vitest';
import { Deadline } from '#gateways/sagemaker/deadline.ts';
import { type AwsService, awsService } from '#runtime/aws/aws-service.ts';
import { startScriptedAws } from './scripted-aws.ts';

export const credentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'secret/with+signs',
  sessionToken: 'token==',
};
export const invocation = { endpoint: 'svc-1', component: 'part', body: { messages: ['ü'] }, maxBytes: 1e6 };
export const later = () => new Deadline(10_000);

/** AWS with responses of the test’s choice, and clients of it. */
export function useScriptedAws() {
  let aws: Awaited<ReturnType<typeof startScriptedAws>>;
  beforeAll(async () => {
    aws = await startScriptedAws();
  });
  afterAll(() => aws.close());

  /** What Lambda puts into a function's environment. */
  const variables = (): Record<string, string> => ({
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_SESSION_TOKEN: credentials.sessionToken,
    AWS_ENDPOINT_URL_DYNAMODB: aws.url,
    AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME: aws.url,
  });
  const serviceOf = (id: 'dynamodb' | 'sagemaker', of = variables()): AwsService => awsService(id, of)!;

  /** What came of a call, as far as anybody can tell: its value or its error, and how often AWS was asked. */
  async function resultOf(call: () => Promise<unknown>) {
    const outcome = await call().then(
      (value) => ({ value }),
      (error: Error & { $metadata?: object; Item?: object; code?: string }) => ({
        kind: error.constructor.name,
        name: error.name,
        code: error.code,
        message: error.message,
        item: error.Item,
        metadata: error.$metadata,
      }),
    );
    return { outcome, requests: aws.sent.length, bodies: aws.sent.map(({ body }) => JSON.parse(body)) };
  }

  return {
    get aws() {
      return aws;
    },
    variables,
    serviceOf,
    resultOf,
  };
}
