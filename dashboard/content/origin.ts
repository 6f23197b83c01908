import { originMark } from '#contract/dashboard-config.ts';

/** References to the service's address in examples, in every language. */
const names: readonly (readonly [RegExp, string])[] = [
  [/^export API=.*$\n/gm, ''],
  [/^echo \$API$\n?/gm, ''],
  [/\$\{API_KEY:-tai_your_api_key\}/g, '"tai_your_api_key"'],
  [/const \{ API, API_KEY \} = /g, 'const { API_KEY } = '],
  [/\$\{(?:process\.env\.)?API\}/g, originMark],
  [/os\.environ\["API"\] \+ "/g, `"${originMark}`],
  [/\$API(?=\/)/g, originMark],
];

/** Replaces the variable `API` of an example with `originMark`. Throws if a reference remains. */
export function withOriginMark(code: string): string {
  const marked = names.reduce((text, [name, value]) => text.replaceAll(name, value), code);
  if (/\bAPI\b(?!_KEY)/.test(marked.replaceAll(/^\s*(?:#|\/\/).*$/gm, '')))
    throw new Error(`an example names the address in a way that is not known: ${marked}`);
  return marked;
}
