import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { InvokeEndpointCommand, SageMakerRuntimeClient } from '@aws-sdk/client-sagemaker-runtime';
import { getEndpointFromInstructions } from '@smithy/core/endpoints';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { awsService, sign } from '#aws/service.ts';

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' };
const inRegion = (AWS_REGION: string) => ({
  AWS_REGION,
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
});

async function urlsOfSdk(region: string): Promise<string[]> {
  const config = { region, credentials };
  const dynamo = new DynamoDBClient(config).config;
  const sagemaker = new SageMakerRuntimeClient(config).config;
  const found = await Promise.all([
    getEndpointFromInstructions({}, UpdateItemCommand, dynamo),
    getEndpointFromInstructions({ EndpointName: 'a' }, InvokeEndpointCommand, sagemaker),
  ]);
  return found.map(({ url }) => url.href);
}

const own = (region: string) =>
  (['dynamodb', 'sagemaker'] as const).map((id) => awsService(id, inRegion(region))?.url.href);

/** Every region of the three partitions at the time of writing (AWS "Regions and Zones"). */
const regions = {
  aws: `af-south-1 ap-east-1 ap-east-2 ap-northeast-1 ap-northeast-2 ap-northeast-3 ap-south-1 ap-south-2 ap-southeast-1
    ap-southeast-2 ap-southeast-3 ap-southeast-4 ap-southeast-5 ap-southeast-6 ap-southeast-7 ca-central-1 ca-west-1
    eu-central-1 eu-central-2 eu-north-1 eu-south-1 eu-south-2 eu-west-1 eu-west-2 eu-west-3 il-central-1 me-central-1
    me-south-1 mx-central-1 sa-east-1 us-east-1 us-east-2 us-west-1 us-west-2`,
  'aws-cn': 'cn-north-1 cn-northwest-1',
  'aws-us-gov': 'us-gov-east-1 us-gov-west-1',
};

describe('the endpoint of a service', () => {
  test.each(Object.entries(regions))("equals the SDK's in all regions of %s", async (_, names) => {
    for (const region of names.split(/\s+/)) expect(own(region)).toEqual(await urlsOfSdk(region));
  });

  test.each(['us-iso-east-1', 'us-isob-east-1', 'eu-isoe-west-1', 'eusc-de-east-1', 'moon-base-1', ''])(
    'is left to the SDK in %j',
    (region) => expect(own(region)).toEqual([undefined, undefined]),
  );
});

test.each([
  { AWS_USE_FIPS_ENDPOINT: 'true' },
  { AWS_USE_DUALSTACK_ENDPOINT: 'true' },
  { AWS_ENDPOINT_URL: 'http://127.0.0.1:1' },
  { AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' },
  { AWS_ACCOUNT_ID: '123456789012' },
  { AWS_PROFILE: 'other' },
  { AWS_SECRET_ACCESS_KEY: '' },
])('the SDK handles requests in an environment with %j', (more) => {
  expect(awsService('dynamodb', { ...inRegion('us-east-1'), ...more })).toBeUndefined();
});

test('a custom endpoint applies only to its own service', () => {
  const variables = { ...inRegion('us-east-1'), AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8000' };
  expect(awsService('dynamodb', variables)?.url.href).toBe('http://127.0.0.1:8000/');
  expect(awsService('sagemaker', variables)?.url.href).toBe('https://runtime.sagemaker.us-east-1.amazonaws.com/');
});

test("request signatures equal the SDK's", async () => {
  const text = fc.string({ unit: fc.constantFrom(...'abcXYZ019-_.~ /+%&='.split('')), maxLength: 40 });
  const segment = fc.string({
    unit: fc.constantFrom(...Array.from("abcXYZ019-_.~!*()' %é")),
    minLength: 1,
    maxLength: 12,
  });
  const signing = fc.record({
    path: fc.array(segment, { maxLength: 3 }),
    target: text.map((value) => `v${value.trim().replaceAll(/ +/g, ' ')}`),
    body: fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }),
    secretAccessKey: text.map((value) => `s${value}`),
    session: fc.option(fc.record({ sessionToken: fc.base64String({ minLength: 4 }) }), { nil: undefined }),
    region: fc.constantFrom('us-east-1', 'eu-central-1'),
    at: fc.date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true }),
  });
  const property = fc.asyncProperty(signing, async ({ path: parts, target, body, at, ...about }) => {
    const { region, secretAccessKey, session } = about;
    const encoded = parts.map(encodeURIComponent).filter((part) => !/^\.+$/.test(part));
    const path = `/${encoded.join('/')}`;
    const headers = { 'content-type': 'application/json', 'x-amz-target': target };
    const credentials = { accessKeyId: 'AKID', secretAccessKey, ...session };
    const sdk = new DynamoDBClient({ region, credentials });
    const signer = await sdk.config.signer();
    const length = { 'content-length': String(Buffer.byteLength(body)) };
    const sent = { ...headers, host: 'aws.example.com:8443', ...length };
    const address = { method: 'POST', protocol: 'https:', hostname: 'aws.example.com', path, query: {} };
    const request = { ...address, headers: sent, body };
    const theirs = await signer.sign(Object.assign(request, { clone: () => request }), {
      signingDate: at,
      unsignableHeaders: new Set(['x-amz-content-sha256']),
    });
    const { 'x-amz-content-sha256': _, 'content-length': __, ...expected } = theirs.headers;
    const url = new URL('https://aws.example.com:8443');
    const service = { url, region, signingName: 'dynamodb', credentials: () => credentials, clockOffset: 0 };
    expect(sign(service, { path, headers, body }, at.getTime())).toEqual({ path, headers: expected, body });
  });
  await fc.assert(property, { numRuns: 200 });
});
