import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { signerFor } from '#runtime/aws/signature.ts';

const given = (values: { secretAccessKey: string; sessionToken: string | undefined }) => ({
  secretAccessKey: values.secretAccessKey,
  ...(values.sessionToken && { sessionToken: values.sessionToken }),
});

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
    body: fc.string({ unit: 'binary', maxLength: 300 }),
    secretAccessKey: text.map((value) => `s${value}`),
    sessionToken: fc.option(fc.base64String({ minLength: 4 }), { nil: undefined }),
    region: fc.constantFrom('us-east-1', 'eu-central-1'),
    at: fc.date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true }),
  });
  const property = fc.asyncProperty(signing, async ({ path: parts, target, body, region, at, ...secrets }) => {
    const path = `/${parts
      .map(encodeURIComponent)
      .filter((part) => !/^\.+$/.test(part))
      .join('/')}`;
    const headers = { host: 'aws.example.com:8443', 'content-type': 'application/json', 'x-amz-target': target };
    const own = { accessKeyId: 'AKID', ...secrets };
    const sdk = new DynamoDBClient({ region, credentials: { accessKeyId: 'AKID', ...given(secrets) } });
    const signer = await sdk.config.signer();
    const request = { method: 'POST', protocol: 'https:', hostname: 'aws.example.com', path, query: {}, headers, body };
    const theirs = await signer.sign(Object.assign(request, { clone: () => request }), {
      signingDate: at,
      unsignableHeaders: new Set(['x-amz-content-sha256']),
    });
    const { 'x-amz-content-sha256': _, ...expected } = theirs.headers;
    expect(signerFor('dynamodb', region)({ path, headers, body }, own, at.getTime())).toEqual(expected);
  });
  await fc.assert(property, { numRuns: 200 });
});
