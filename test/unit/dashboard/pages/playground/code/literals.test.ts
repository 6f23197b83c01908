import { createContext, runInContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostileTexts } from '#test/requests/code-texts.ts';
import {
  CodeCall,
  javascriptLiteral,
  jsonLiteral,
  pythonLiteral,
} from '../../../../../../dashboard/src/pages/playground/code/literals.ts';

const context = createContext();
const evaluated = (code: string): unknown => JSON.parse(JSON.stringify(runInContext(`(${code})`, context)));
/** What a terminal or an editor obeys or hides. */
// oxlint-disable-next-line no-control-regex
const invisible = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;

describe('a value written as code', () => {
  it.each(hostileTexts)('is the same text in JSON and JavaScript: %j', (text) => {
    const value = { [text]: [text, { text }], text };
    expect(JSON.parse(jsonLiteral(value))).toEqual(value);
    expect(evaluated(javascriptLiteral(value))).toEqual(value);
  });

  it('is the same value in JSON and JavaScript, whatever it is', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.nat(3), (value, depth) => {
        expect(JSON.parse(jsonLiteral(value))).toEqual(JSON.parse(JSON.stringify(value)));
        expect(evaluated(javascriptLiteral(value, depth))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('shows what a terminal obeys or an editor hides as escapes, in every language', () => {
    for (const text of hostileTexts)
      for (const write of [jsonLiteral, javascriptLiteral, pythonLiteral]) {
        const code = write({ text });
        expect([code, invisible.test(code)]).toEqual([code, false]);
      }
  });

  it('sets no prototype by a name', () => {
    const code = javascriptLiteral(JSON.parse('{"__proto__": {"polluted": true}}'));
    expect(code).toBe("{ ['__proto__']: { polluted: true } }");
    expect(evaluated(code)).toEqual(JSON.parse('{"__proto__": {"polluted": true}}'));
  });

  it('has the words and names of its language', () => {
    const value = { stream: true, stop: null, top_p: 0.5, 'my-name': "it's", 'a b': false };
    expect(jsonLiteral(value)).toBe('{"stream": true, "stop": null, "top_p": 0.5, "my-name": "it\'s", "a b": false}');
    expect(pythonLiteral(value)).toBe('{"stream": True, "stop": None, "top_p": 0.5, "my-name": "it\'s", "a b": False}');
    expect(javascriptLiteral(value)).toBe(
      String.raw`{ stream: true, stop: null, top_p: 0.5, 'my-name': 'it\'s', 'a b': false }`,
    );
  });

  it('is on several lines where one would be long, with the margin of its place', () => {
    const message = { role: 'user', content: 'x'.repeat(40) };
    expect(javascriptLiteral({ model: 'svc-1', messages: [message] }, 1)).toBe(`{
    model: 'svc-1',
    messages: [{ role: 'user', content: '${'x'.repeat(40)}' }],
  }`);
    expect(jsonLiteral([message, message])).toMatch(/^\[\n {2}\{"role".*\},\n {2}\{"role".*\}\n\]$/);
  });

  it('leaves out what is undefined, and writes calls', () => {
    expect(javascriptLiteral({ a: undefined, b: new CodeCall('tool', { name: 'x' }) })).toBe(
      "{ b: tool({ name: 'x' }) }",
    );
    expect(jsonLiteral({})).toBe('{}');
  });
});
