import { createHmac, timingSafeEqual } from 'node:crypto';
import * as v from 'valibot';
import { S3Error } from './s3-error.ts';

const Condition = v.union([
  v.tuple([v.picklist(['eq', 'starts-with']), v.string(), v.string()]),
  v.tuple([v.literal('content-length-range'), v.number(), v.number()]),
  v.record(v.string(), v.string()),
]);
const Policy = v.object({ expiration: v.pipe(v.string(), v.isoTimestamp()), conditions: v.array(Condition) });

export type PostFields = ReadonlyMap<string, string>;

/** Fields that no condition need name (S3 "Creating a POST policy"). */
const free = new Set(['policy', 'x-amz-signature', 'file']);

/** The lengths that a form's policy allows, once its signature, its end and its conditions on the fields are kept. Names are in lower case. */
export function allowedLength(
  fields: PostFields,
  bucket: string,
  secret: string,
  now: number,
): [min: number, max: number] {
  const encoded = fields.get('policy') ?? '';
  if (!isSigned(encoded, fields, secret))
    throw new S3Error(
      403,
      'SignatureDoesNotMatch',
      'The request signature we calculated does not match the signature you provided.',
    );
  const { success, output } = v.safeParse(
    v.pipe(v.string(), v.parseJson(), Policy),
    Buffer.from(encoded, 'base64').toString(),
  );
  if (!success) throw new S3Error(400, 'InvalidPolicyDocument', 'Invalid Policy: not a policy.');
  if (Date.parse(output.expiration) <= now) throw denied('Policy expired.');
  let length: [number, number] = [0, 5 * 1024 ** 3];
  const named = new Set<string>();
  const given = (name: string) => (name === 'bucket' ? bucket : fields.get(name));
  for (const condition of output.conditions) {
    if (!Array.isArray(condition)) {
      for (const [name, value] of Object.entries(condition))
        demand(name.toLowerCase(), (field) => field === value, condition);
    } else if (condition[0] === 'content-length-range') length = [condition[1], condition[2]];
    else {
      const [how, field, value] = condition;
      const name = field.replace(/^\$/, '').toLowerCase();
      demand(name, (text) => (how === 'eq' ? text === value : text.startsWith(value)), condition);
    }
  }
  for (const name of fields.keys())
    if (!free.has(name) && !named.has(name)) throw denied(`Extra input fields: ${name}`);
  return length;

  function demand(name: string, isKept: (value: string) => boolean, condition: unknown): void {
    named.add(name);
    const value = given(name);
    if (value === undefined || !isKept(value)) throw denied(`Policy Condition failed: ${JSON.stringify(condition)}`);
  }
}

const denied = (why: string) => new S3Error(403, 'AccessDenied', `Invalid according to Policy: ${why}`);

/** Signature version 4 of a policy (S3 "Calculating a signature"). */
function isSigned(policy: string, fields: PostFields, secret: string): boolean {
  const [, date = '', region = '', service = '', end = ''] = (fields.get('x-amz-credential') ?? '').split('/');
  const key = [date, region, service, end].reduce<string | Buffer>(
    (secretKey, part) => createHmac('sha256', secretKey).update(part).digest(),
    `AWS4${secret}`,
  );
  const expected = createHmac('sha256', key).update(policy).digest('hex');
  const given = fields.get('x-amz-signature') ?? '';
  return given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
}
