import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { languageName } from '#contract/inference/languages.ts';
import { bent, fuzzTarget, json, type Shot } from '#test/contract/fuzz-target.ts';
import { violations } from '#test/contract/json-schema.ts';
import { type Operation, operations, resolve, shownBodies } from '#test/contract/openapi.ts';
import { noRefusal, undocumented } from '#test/contract/response-check.ts';
import { atLength, patience, seed } from '#test/many.ts';
import { useTestService } from '#test/service/service.ts';

type Change = (json: string) => string | Uint8Array;

/** Adds a field before the others. */
const withField =
  (field: string): Change =>
  (json) =>
    json.replace('{', json === '{}' ? `{${field}` : `{${field},`);
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const bytes = (json: string, ...more: number[]): Uint8Array => Buffer.concat([Buffer.from(json), Buffer.from(more)]);

/** Changes that make a JSON object invalid. A body may nest 32 levels, including itself. */
const badJson: readonly (readonly [what: string, change: Change])[] = [
  ['a key twice', (json) => withField('"twice":1,"twice":2')(json)],
  ['a key twice, once escaped', withField('"twice":1,"\\u0074wice":2')],
  ['a key twice, deep inside', withField('"deep":[{"twice":1,"twice":{}}]')],
  ['__proto__', withField('"__proto__":{"polluted":true}')],
  ['__proto__, escaped and deep inside', withField('"deep":{"\\u005f_proto__":{"polluted":true}}')],
  ['33 levels', withField(`"deep":${nested(32)}`)],
  ['100,000 levels', withField(`"deep":${nested(100_000)}`)],
  ['a byte order mark', (json) => `\uFEFF${json}`],
  ['half of it', (json) => json.slice(0, -1)],
  ['more than it', (json) => `${json}{}`],
  ['a byte that is no UTF-8', (json) => bytes(json.slice(0, -1), 0x22, 0xff, 0x22, 0x7d)],
  ['an overlong encoding', (json) => bytes(json, 0xc0, 0x80)],
  ['a surrogate in UTF-8', (json) => bytes(json, 0xed, 0xa0, 0x80)],
  ['UTF-16', (json) => Buffer.from(json, 'utf16le')],
  ['a list around it', (json) => `[${json}]`],
  ['text around it', (json) => JSON.stringify(json)],
  ['a comment', (json) => `${json}// or so`],
  ['NaN', withField('"number":NaN')],
  ['a raw line break in a string', withField('"text":"a\nb"')],
  ['a NUL outside strings', (json) => `${json}\0`],
  ['null', () => 'null'],
  ['a number', () => '1e400'],
  ['whitespace', () => ' \t\r\n'],
  ['a form', () => 'model=svc-1&prompt=hello'],
];

/** Unusual but valid JSON. Unknown fields are ignored. */
const oddJson: readonly (readonly [what: string, change: Change])[] = [
  ['an infinite number', withField('"number":1e400')],
  ['minus zero', withField('"number":-0')],
  ['a number beyond integers', withField('"number":9007199254740993')],
  ['a number of a thousand digits', withField(`"number":${'9'.repeat(1000)}`)],
  ['a lone surrogate', withField('"text":"\\ud800"')],
  ['a NUL', withField('"text":"\\u0000"')],
  ['an astral character in two escapes', withField('"text":"\\ud83d\\ude00"')],
  ['zero-width text', withField('"text":"\u200B\u2060\u202E"')],
  ['constructor and prototype', withField('"constructor":{"prototype":{"polluted":true}},"prototype":[]')],
  ['32 levels', withField(`"deep":${nested(31)}`)],
  ['an empty key', withField('"":0')],
  ['a key of 100,000 letters', withField(`"${'k'.repeat(100_000)}":0`)],
  ['10,000 fields', withField(Array.from({ length: 10_000 }, (_, index) => `"f${index}":${index}`).join())],
  ['whitespace everywhere', (json) => `\n\t ${json}\r\n `],
];

/** Content types and encodings other than plain JSON, as alternating header names and values. Each returns a 415. */
const foreignBodies: readonly (readonly string[])[] = [
  [],
  ['content-type', ''],
  ['content-type', 'text/plain'],
  ['content-type', 'application/jsonp'],
  ['content-type', 'application/json, text/plain'],
  ['content-type', 'text/plain; type=application/json'],
  ['content-type', 'multipart/form-data; boundary=x'],
  ['content-type', 'application/x-www-form-urlencoded'],
  ['content-type', 'application/json', 'content-type', 'application/json'],
  ['content-type', 'application/json', 'content-encoding', 'gzip'],
  ['content-type', 'application/json', 'content-encoding', 'identity, br'],
  ['content-type', 'application/json', 'content-encoding', 'identity', 'content-encoding', 'deflate'],
];

/** Invalid credentials that contain a valid one. Each returns a 401. */
const brokenCredentials: readonly ((key: string) => readonly string[])[] = [
  () => [],
  (key) => ['authorization', key],
  (key) => ['authorization', `bearer ${key}`],
  (key) => ['authorization', `BEARER ${key}`],
  (key) => ['authorization', `Bearer  ${key}`],
  (key) => ['authorization', `Bearer\t${key}`],
  (key) => ['authorization', `Bearer ${key} ${key}`],
  (key) => ['authorization', `Bearer ${key},`],
  (key) => ['authorization', `Bearer "${key}"`],
  (key) => ['authorization', `Bearer ${key}é`],
  (key) => ['authorization', `Bearer ${key.slice(0, -1)}`],
  (key) => ['authorization', `Bearer ${key.toUpperCase()}`],
  (key) => ['authorization', `Basic ${Buffer.from(`:${key}`).toString('base64')}`],
  (key) => ['authorization', `Bearer ${key}`, 'authorization', `Bearer ${key}`],
  (key) => ['authorization', `Bearer ${key}`, 'Authorization', 'Bearer x'],
  () => ['authorization', ''],
  () => ['authorization', 'Bearer '],
  () => ['authorization', `Bearer ${'a'.repeat(8000)}`],
  () => ['authorization', 'Bearer __proto__'],
  (key) => ['x-api-key', key],
  (key) => ['proxy-authorization', `Bearer ${key}`],
  (key) => ['cookie', `session=${key}`],
  () => ['cookie', 'session=; session=x; ;;=;session'],
];

/** Headers that do not affect any response. */
const oddHeaders: readonly (readonly string[])[] = [
  ['accept', 'text/xml'],
  ['accept-encoding', 'br;q=1.0, *;q=0'],
  ['x-http-method-override', 'DELETE'],
  ['x-forwarded-for', '::, 999.999.999.999, <script>'],
  ['x-forwarded-host', 'evil.example', 'forwarded', 'for="_mdn"'],
  ['x-request-id', '"><script>alert(1)</script>'],
  ['range', 'bytes=0-1'],
  ['if-none-match', '*'],
  ['user-agent', 'é'.repeat(500)],
  ['idempotency-key', ''],
  ['idempotency-key', 'a, b'],
  ['idempotency-key', '"unfinished'],
  ['idempotency-key', 'k'.repeat(256)],
  ['idempotency-key', 'é'],
  ['idempotency-key', 'one', 'idempotency-key', 'two'],
  ['constructor', 'x', '__proto__', 'y', 'tostring', 'z'],
  ['x-long', 'x'.repeat(6000)],
];

/** Replacements for a path parameter, or suffixes of a path. */
const oddSegments: readonly string[] = [
  ...`%00 %2F %2e%2e%2f .. . %ff % %zz %E2%82 %F0%9F%98%80 %EF%BF%BF %0d%0aX:y ;x=y '%20OR%201=1-- %3Cscript%3E __proto__
    constructor hasOwnProperty {id} * -1 0 1e3 9007199254740993`.split(/\s+/),
  'a'.repeat(4000),
  '%20'.repeat(1000),
];

/** Queries that no operation expects. */
const oddQueries: readonly string[] = [
  ...`? ?&&& ?= ?=&=  ?% ?a=%ff ?%00=%00 ?__proto__=x&constructor=y ?token[]=1 ?a=1&a=2&a=3 ?cursor=-1
    ?cursor=99999999999999999999 ?limit=0 ?limit=1e2 ?limit=5&limit=9 ?limit=%20 ?group[$ne]=x ?from=2027-02-30
    ?from=9999-12-31&to=0001-01-01 ?from=0000-00-00 ?newPlanId=constructor ?newPlanId= ?email=a@b@c
    ?email=%00@example.com ?token=`.split(/\s+/),
  `?token=${'t'.repeat(6000)}`,
  `?${'a=b&'.repeat(1500)}`,
];

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
    /must contain the tool call with the same id before each tool message/,
    /must not be sent together with functions/,
    /must name a plan/,
    /must have either pack or planId/,
    /^monthlyLimit must be at least the price/,
    /must not have since unless sort is newest/,
    /^newPlanId names a (larger|smaller) plan/,
    /must be the address of this account/,
    /must not be one of the most common passwords/,
    /must be an account id/,
    /must not have duplicate/,
    /is not a key of this account/,
    /must have one of email, id and keyPrefix/,
    /^top_logprobs must be less/,
    /^cursor must be the nextCursor/,
    /^from /,
    /^timezone must be the IANA name /,
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
            String(response.headers['content-type']).startsWith('application/json') ? response.text || '{}' : '{}',
          );
          expect(message ?? error?.code).not.toBe('INVALID_API_KEY');
          if (response.status === 400 && message === 'INVALID_FORMAT') expect(detail).toMatch(unsayable);
        }),
        runs(1, 220),
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
        runs(3, 1500),
      );
    },
    patience,
  );

  it.each(withBody)(
    '%s returns 400, never 500, for a body that is not an unambiguous JSON object',
    async (_, operation) => {
      // The changes add fields, so that a valid body of null is not one to change.
      const bodies = target
        .bodyOf(operation)
        .filter((body) => body !== null)
        .map((body) => JSON.stringify(body));
      const takesNull = violations(operation.body!.schema, null, { resolve }).length === 0;
      const bad = badJson.filter(([what]) => !(takesNull && what === 'null'));
      await fc.assert(
        fc.asyncProperty(target.addressOf(operation), bodies, fc.nat(), async (path, body, pick) => {
          const [what, break_] = bad[pick % bad.length]!;
          const response = await target.fire(await target.shotOf(operation, path, break_(body)));
          expect([what, response.status, noRefusal(path, response)]).toEqual([what, 400, []]);
          const [oddity, bend] = oddJson[pick % oddJson.length]!;
          expect([
            oddity,
            undocumented(operation, await target.fire(await target.shotOf(operation, path, bend(body)))),
          ]).toEqual([oddity, []]);
        }),
        runs(1, 500),
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
        if (headers[0] === 'x-api-key' && operation.path.startsWith('/anthropic')) continue;
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
        if (operation.method === 'HEAD') continue;
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
