import type { AttributeValue } from '@aws-sdk/client-dynamodb-streams';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allJobs } from '#contract/jobs.ts';
import { eventPatterns, type TypedAttribute, type TypePath } from '#contract/platform/resources.ts';
import { eventRecord, passes } from '#local/dynamodb/stream-pump.ts';
import { lambdaPasses } from '#test/database/event-filter.ts';

type Image = Record<string, AttributeValue>;
type Of<T extends keyof AttributeValue> = fc.Arbitrary<AttributeValue & Record<T, unknown>>;

const text = fc.string({ maxLength: 3 });
const number = fc.integer().map(String);
const bytes = fc.uint8Array({ maxLength: 3 });
const names = fc.constantFrom('t', 'u', 'S', 'L', 'exists', 'a.b');
const some = { minLength: 1, maxLength: 2 };

/** Any value that an attribute may have, three levels deep. */
const { value } = fc.letrec<{ value: AttributeValue; L: AttributeValue; M: AttributeValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text.map((S) => ({ S })) as Of<'S'>,
    number.map((N) => ({ N })),
    bytes.map((B) => ({ B })),
    fc.boolean().map((BOOL) => ({ BOOL })),
    fc.constant({ NULL: true as const }),
    fc.array(text, some).map((SS) => ({ SS })),
    fc.array(number, some).map((NS) => ({ NS })),
    fc.array(bytes, some).map((BS) => ({ BS })),
    tie('L'),
    tie('M'),
  ),
  L: fc.array(tie('value'), { maxLength: 3 }).map((L) => ({ L })),
  M: fc.dictionary(names, tie('value'), { maxKeys: 3 }).map((M) => ({ M })),
}));

const leaf = fc.constantFrom<TypePath>('S', 'N', 'B', 'BOOL', 'NULL', 'SS', 'NS', 'BS');
const { path } = fc.letrec<{ path: TypePath }>((tie) => ({
  path: fc.oneof(
    { maxDepth: 3 },
    leaf,
    tie('path').map((L) => ({ L })),
    fc.tuple(names, tie('path')).map((M) => ({ M })),
  ),
}));

/** An attribute value of the type, with other fields. */
function valueOf(type: TypePath): fc.Arbitrary<AttributeValue> {
  if (typeof type === 'string')
    return value.filter((any) => type in any && any[type as keyof AttributeValue] !== undefined);
  if ('L' in type) {
    return fc
      .tuple(fc.array(value, { maxLength: 2 }), valueOf(type.L))
      .map(([rest, found]) => ({ L: [...rest, found] }));
  }
  const [name, inner] = type.M;
  return fc
    .tuple(fc.dictionary(names, value, { maxKeys: 2 }), valueOf(inner))
    .map(([rest, found]) => ({ M: { ...rest, [name]: found } }));
}

/** Whether the value has a leaf at the end of the path: what a trigger declares. */
function has(type: TypePath, any: AttributeValue | undefined): boolean {
  if (any === undefined) return false;
  if (typeof type === 'string') return any[type as keyof AttributeValue] !== undefined;
  if ('L' in type) return any.L?.some((element) => has(type.L, element)) ?? false;
  const [name, inner] = type.M;
  return has(inner, any.M && Object.hasOwn(any.M, name) ? any.M[name] : undefined);
}

const recordOf = (NewImage: Image) => ({ dynamodb: { NewImage, Keys: {} } });

function expectAgreement(attribute: TypedAttribute, image: Image): void {
  const patterns = eventPatterns(attribute);
  const event = JSON.parse(JSON.stringify(eventRecord(recordOf(image), 'arn')));
  const inAws = patterns.some((pattern) => lambdaPasses(pattern, event));
  expect(passes(patterns, recordOf(image))).toBe(inAws);
  expect(inAws).toBe(has(attribute.type, image[attribute.name]));
}

describe('the filter in AWS and the local delivery agree', () => {
  test('on any image, for an attribute of any type', () => {
    const cases = fc.tuple(path, fc.dictionary(fc.constantFrom('job', 'other'), value));
    fc.assert(
      fc.property(cases, ([type, image]) => expectAgreement({ name: 'job', type }, image)),
      { numRuns: 500 },
    );
  });

  test('on images whose attribute has a value of the type', () => {
    const cases = path.chain((type) => fc.tuple(fc.constant(type), valueOf(type)));
    const check = ([type, job]: [TypePath, AttributeValue]) => {
      expectAgreement({ name: 'job', type }, { job });
      expect(passes(eventPatterns({ name: 'job', type }), recordOf({ job }))).toBe(true);
    };
    fc.assert(fc.property(cases, check), { numRuns: 300 });
  });

  const attributes = allJobs.flatMap(({ trigger }) => ('stream' in trigger ? [trigger.newImageHas] : []));
  test.each(attributes)('on any image, for the attribute $name of a job', (attribute) => {
    const images = fc.dictionary(fc.constantFrom(attribute.name, 'other'), value);
    fc.assert(fc.property(images, (image) => expectAgreement(attribute, image)));
    fc.assert(fc.property(valueOf(attribute.type), (found) => expectAgreement(attribute, { [attribute.name]: found })));
  });
});

test('a record without a new image passes no filter', () => {
  expect(passes(eventPatterns({ name: 'job', type: 'S' }), { dynamodb: { Keys: {} } })).toBe(false);
});

test('a list attribute has a second filter, which matches nothing in AWS', () => {
  const [wide] = eventPatterns({ name: 'job', type: { L: 'S' } });
  expect(wide).toEqual({ dynamodb: { NewImage: { job: { L: [{ exists: true }] } } } });
  expect(lambdaPasses(wide, recordOf({ job: { L: [{ S: 'a' }] } }))).toBe(false);
});
