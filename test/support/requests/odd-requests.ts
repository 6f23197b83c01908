/** Content types and encodings other than plain JSON, as alternating header names and values. Each returns a 415. */
export const foreignBodies: readonly (readonly string[])[] = [
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
export const brokenCredentials: readonly ((key: string) => readonly string[])[] = [
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
export const oddHeaders: readonly (readonly string[])[] = [
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
export const oddSegments: readonly string[] = [
  ...`%00 %2F %2e%2e%2f .. . %ff % %zz %E2%82 %F0%9F%98%80 %EF%BF%BF %0d%0aX:y ;x=y '%20OR%201=1-- %3Cscript%3E __proto__
    constructor hasOwnProperty {id} * -1 0 1e3 9007199254740993`.split(/\s+/),
  'a'.repeat(4000),
  '%20'.repeat(1000),
];

/** Queries that no operation expects. */
export const oddQueries: readonly string[] = [
  ...`? ?&&& ?= ?=&=  ?% ?a=%ff ?%00=%00 ?__proto__=x&constructor=y ?token[]=1 ?a=1&a=2&a=3 ?cursor=-1
    ?cursor=99999999999999999999 ?limit=0 ?limit=1e2 ?limit=5&limit=9 ?limit=%20 ?group[$ne]=x ?from=2027-02-30
    ?from=9999-12-31&to=0001-01-01 ?from=0000-00-00 ?newPlanId=constructor ?newPlanId= ?email=a@b@c
    ?email=%00@example.com ?token=`.split(/\s+/),
  `?token=${'t'.repeat(6000)}`,
  `?${'a=b&'.repeat(1500)}`,
];
