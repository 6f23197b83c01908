import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sign } from '#aws/service.ts';

test('requests are signed as the SDK signs them', async () => {
  const text = fc.string({ unit: fc.constantFrom(...'abcXYZ019-_.~ /+%&='.split('')), maxLength: 40 });
  const signing = fc.record({
    path: fc.array(
      fc.string({ unit: fc.constantFrom(..."abcXYZ019-_.~!*()' %é".split('')), minLength: 1, maxLength: 12 }),
      {
        maxLength: 3,
      },
    ),
    target: text.map((value) => `v${value.trim().replaceAll(/ +/g, ' ')}`),
    body: fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }),
    secretAccessKey: text.map((value) => `s${value}`),
    session: fc.option(fc.record({ sessionToken: fc.base64String({ minLength: 4 }) }), { nil: undefined }),
    region: fc.constantFrom('us-east-1', 'eu-central-1'),
    at: fc.date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true }),
  });
  const property = fc.asyncProperty(
    signing,
    async ({ path: parts, target, body, region, at, secretAccessKey, session }) => {
      const path = `/${parts
        .map(encodeURIComponent)
        .filter((part) => !/^\.+$/.test(part))
        .join('/')}`;
      const headers = { 'content-type': 'application/json', 'x-amz-target': target };
      const credentials = { accessKeyId: 'AKID', secretAccessKey, ...session };
      const sdk = new DynamoDBClient({ region, credentials });
      const signer = await sdk.config.signer();
      const length = { 'content-length': String(Buffer.byteLength(body)) };
      const request = {
        method: 'POST',
        protocol: 'https:',
        hostname: 'aws.example.com',
        path,
        query: {},
        headers: { ...headers, host: 'aws.example.com:8443', ...length },
        body,
      };
      const theirs = await signer.sign(Object.assign(request, { clone: () => request }), {
        signingDate: at,
        unsignableHeaders: new Set(['x-amz-content-sha256']),
      });
      const { 'x-amz-content-sha256': _, 'content-length': __, ...expected } = theirs.headers;
      const url = new URL('https://aws.example.com:8443');
      const service = { url, region, signingName: 'dynamodb', credentials: () => credentials, clockOffset: 0 };
      expect(sign(service, { path, headers, body }, at.getTime())).toEqual({ path, headers: expected, body });
    },
  );
  await fc.assert(property, { numRuns: 200 });
});
