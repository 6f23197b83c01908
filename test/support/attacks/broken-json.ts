type Change = (json: string) => string | Uint8Array;

/** Adds a field before the others. */
const withField =
  (field: string): Change =>
  (json) =>
    json.replace('{', json === '{}' ? `{${field}` : `{${field},`);
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const bytes = (json: string, ...more: number[]): Uint8Array => Buffer.concat([Buffer.from(json), Buffer.from(more)]);

/** Changes that make a JSON object invalid. A body may nest 32 levels, including itself. */
export const badJson: readonly (readonly [what: string, change: Change])[] = [
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
  ['white space', () => ' \t\r\n'],
  ['a form', () => 'model=svc-1&prompt=hello'],
];

/** Unusual but valid JSON. Unknown fields are ignored. */
export const oddJson: readonly (readonly [what: string, change: Change])[] = [
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
  ['white space everywhere', (json) => `\n\t ${json}\r\n `],
];
