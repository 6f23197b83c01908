/** How examples read the key, in every language they are in, and what stands there in place of that. */
const readings: readonly (readonly [RegExp, (key: string) => string])[] = [
  [/"tai_your_api_key"/g, (key) => `"${key}"`],
  [/\$API_KEY\b/g, (key) => key],
  [/const \{ API_KEY \} = process\.env;/g, (key) => `const API_KEY = '${key}';`],
  [/process\.env\.API_KEY\b/g, (key) => `'${key}'`],
  [/os\.environ\["API_KEY"\]/g, (key) => `"${key}"`],
];

/** An example with the key in it. A key is letters, digits and `_`, so it ends no string in any language. */
export function withKey(code: string, key: string): string {
  if (!/^\w+$/.test(key)) throw new Error('an example is filled with a key only');
  return readings.reduce((text, [reading, value]) => text.replaceAll(reading, () => value(key)), code);
}
