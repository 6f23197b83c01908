import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { languageName } from '#contract/inference/languages.ts';
import { badJson, oddJson } from '#test/attacks/broken-json.ts';
import { bent } from '#test/contract/arbitraries.ts';
import { fuzzTarget, json, type Shot } from '#test/contract/fuzz-target.ts';
import { violations } from '#test/contract/json-schema.ts';
import { type Operation, operations, resolve, shownBodies } from '#test/contract/openapi.ts';
import { noRefusal, undocumented } from '#test/contract/response-check.ts';
import { atLength, patience } from '#test/many.ts';
import { brokenCredentials, foreignBodies, oddHeaders, oddQueries, oddSegments } from '#test/requests/odd-requests.ts';
import { useTestService } from '#test/service/service.ts';

const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const service = useTestService();
let target: Awaited<ReturnType<typeof fuzzTarget>>;
beforeAll(async () => {
  target = await fuzzTarget(service);
});
afterAll(async () => {
  target.close();
});

const every = operations.map((operation) => [operation.name, operation] as const);
const withBody = every.filter(([, { body }]) => body);
const runs = (short: number, long: number) => ({ numRuns: atLength(short, long), seed, endOnFailure: true });

/** Rules that JSON Schema cannot express. Breaking one returns a 400 as well. */
const unsayable = new RegExp(
  [
    /must differ from sourceLanguage/,
    /^labels (is required with the analysis categories|must be absent unless analyses includes categories)/,
    /^functionResults must not be sent together with content/,
    /^content is required without functionResults/,
    /^functions must (not have two functions with the same name|have at most \d+ bytes as JSON)/,
    /^text must (not be empty|be text, without control characters|have at most \d+ (bytes as UTF-8|characters for a call))/,
    /^text would be \d+ segments/,
    /^voice applies to calls only/,
    /must have a visible character/,
    /must not look like a link or an address/,
    /contains an? .*\(U\+/,
    /must have at least one word/,
    /must name one of the (functions|tools)/,
    /must have content unless/,
    /must have, before each tool message/,
    /must not be sent together with functions/,
    /must name a plan/,
    /^newPlanId names a (larger|smaller) plan/,
    /must be the address of this account/,
    /must not be one of the most common passwords/,
    /must be an account id/,
    /must not have duplicate/,
    /is not a key of this account/,
    /must have one of email, id and keyPrefix/,
    /^cursor must be the nextCursor/,
    /^from /,
    /^to /,
    /^url must /,
    /cannot speak this text with the voice/,
    /^The audio has more than /,
    /^The file is not in a supported audio format/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

describe(`docs/openapi.json, fuzzed (SEED=${seed})`, () => {
  it.each(every)(
    '%s responds to a valid request as documented, without a format error',
    async (_, operation) => {
      await fc.assert(
        fc.asyncProperty(target.addressOf(operation), target.bodyOf(operation), async (path, body) => {
          const response = await target.fire(await target.shotOf(operation, path, body));
          expect(undocumented(operation, response)).toEqual([]);
          const { message, detail, error } = JSON.parse(
            String(response.headers['content-type']).startsWith('application/json') ? response.text : '{}',
          );
          expect(message ?? error?.code).not.toBe('INVALID_API_KEY');
          if (response.status === 400 && message === 'INVALID_FORMAT') expect(detail).toMatch(unsayable);
        }),
        runs(2, 220),
      );
    },
    patience,
  );

  it.each(withBody)(
    '%s returns 400 for a body outside its schema, and responds as documented to a nearly invalid one',
    async (_, operation) => {
      await fc.assert(
        fc.asyncProperty(target.addressOf(operation), bent(target.bodyOf(operation)), async (path, body) => {
          const response = await target.fire(await target.shotOf(operation, path, JSON.stringify(body)));
          expect(undocumented(operation, response)).toEqual([]);
          const faults = violations(operation.body!.schema, withLowerCaseLanguages(body), { resolve });
          expect(faults.length > 0 && response.status !== 400 ? { faults, response } : undefined).toBeUndefined();
        }),
        runs(5, 1500),
      );
    },
    patience,
  );

  it.each(withBody)(
    '%s returns 400, never 500, for a body that is not an unambiguous JSON object',
    async (_, operation) => {
      const bodies = target.bodyOf(operation).map((body) => JSON.stringify(body));
      await fc.assert(
        fc.asyncProperty(target.addressOf(operation), bodies, fc.nat(), async (path, body, pick) => {
          const [what, break_] = badJson[pick % badJson.length]!;
          const response = await target.fire(await target.shotOf(operation, path, break_(body)));
          expect([what, response.status, noRefusal(path, response)]).toEqual([what, 400, []]);
          const [oddity, bend] = oddJson[pick % oddJson.length]!;
          expect([
            oddity,
            undocumented(operation, await target.fire(await target.shotOf(operation, path, bend(body)))),
          ]).toEqual([oddity, []]);
        }),
        runs(2, 500),
      );
    },
    patience,
  );

  it.each(withBody)(
    '%s returns 415 for a body of another media type, before it checks the credential',
    async (_, operation) => {
      const [path] = fc.sample(target.addressOf(operation), { numRuns: 1, seed });
      const foreign = foreignBodies.filter(
        ([, type]) => !type?.startsWith('multipart/') || !operation.mediaTypes.includes('multipart/form-data'),
      );
      for (const headers of some(foreign, operation)) {
        const response = await target.fire({ method: operation.method, path: path!, headers, body: '{}' });
        expect([headers, response.status, undocumented(operation, response)]).toEqual([headers, 415, []]);
      }
    },
  );

  it.each(every.filter(([, { security }]) => security.length > 0 && Object.keys(security[0]!).length > 0))(
    '%s returns 401 for an invalid credential',
    async (_, operation) => {
      const shot = await shotAt(operation);
      for (const credential of some(brokenCredentials, operation)) {
        const headers = [...credential(target.key), ...json];
        const response = await target.fire({ ...shot, headers });
        expect([headers, response.status, undocumented(operation, response)]).toEqual([headers, 401, []]);
      }
    },
  );

  it.each(every)('%s responds as documented to odd headers', { timeout: patience }, async (_, operation) => {
    const shot = await shotAt(operation);
    for (const odd of some(oddHeaders, operation)) {
      const response = await target.fire({ ...shot, headers: [...shot.headers!, ...odd] });
      expect([odd, undocumented(operation, response)]).toEqual([odd, []]);
    }
  });

  it.each(every)(
    '%s responds as documented to odd queries, and refuses odd paths',
    { timeout: patience },
    async (_, operation) => {
      const shot = await shotAt(operation);
      const { pathname } = new URL(shot.path, service.origin);
      for (const query of some(oddQueries, operation)) {
        const response = await target.fire({ ...shot, path: pathname + query });
        expect([query, undocumented(operation, response)]).toEqual([query, []]);
      }
      for (const segment of some(oddSegments, operation)) {
        const path = /\{\w+\}/.test(operation.path)
          ? operation.path.replace(/\{\w+\}/, segment).replace(/\{\w+\}/, 'x')
          : `${operation.path}/${segment}`;
        const response = await target.fire({ ...shot, path });
        expect([path, response.status < 400 ? undocumented(operation, response) : noRefusal(path, response)]).toEqual([
          path,
          [],
        ]);
      }
    },
  );
});

/** A different part of the list for each operation. In a long run, the whole list. */
function some<T>(list: readonly T[], operation: Operation): readonly T[] {
  const offset = operations.indexOf(operation) + seed;
  return list.filter((_, index) => (index + offset) % atLength(14, 1) === 0);
}

/** The schema's enum contains lower-case codes, and the service accepts either case. */
function withLowerCaseLanguages(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (_, value) =>
    typeof value === 'string' && languageName(value) ? value.toLowerCase() : value,
  );
}

/** A request with the example of the document. */
async function shotAt(operation: Operation): Promise<Shot> {
  const [path] = fc.sample(target.addressOf(operation), { numRuns: 1, seed });
  return target.shotOf(operation, path!, shownBodies(operation)[0]);
}
