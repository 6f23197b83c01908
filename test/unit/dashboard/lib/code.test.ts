import { createContext, runInContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostileTexts } from '#test/requests/code-texts.ts';
import type { CodeRequest } from '../../../../dashboard/src/lib/code/code-request.ts';
import {
  CodeCall,
  javascriptLiteral,
  jsonLiteral,
  pythonLiteral,
} from '../../../../dashboard/src/lib/code/literals.ts';
import { openAiBody } from '../../../../dashboard/src/lib/code/sdk-code.ts';
import { codeSnippets } from '../../../../dashboard/src/lib/code/snippets.ts';

const context = createContext();
const evaluated = (code: string): unknown => JSON.parse(JSON.stringify(runInContext(`(${code})`, context)));
/** Characters that a terminal interprets or an editor hides. */
// oxlint-disable-next-line no-control-regex
const invisible = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;

describe('a value in code', () => {
  it.each(hostileTexts)('evaluates to the original text in JSON and JavaScript: %j', (text) => {
    const value = { [text]: [text, { text }], text };
    expect(JSON.parse(jsonLiteral(value))).toEqual(value);
    expect(evaluated(javascriptLiteral(value))).toEqual(value);
  });

  it('evaluates to the original value in JSON and JavaScript, for any value', () => {
    const property = fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.nat(3), (value, depth) => {
      expect(JSON.parse(jsonLiteral(value))).toEqual(JSON.parse(JSON.stringify(value)));
      expect(evaluated(javascriptLiteral(value, depth))).toEqual(JSON.parse(JSON.stringify(value)));
    });
    fc.assert(property);
  });

  it('escapes characters that a terminal interprets or an editor hides, in every language', () => {
    for (const text of hostileTexts)
      for (const write of [jsonLiteral, javascriptLiteral, pythonLiteral]) {
        const code = write({ text });
        expect([code, invisible.test(code)]).toEqual([code, false]);
      }
  });

  it('cannot set a prototype through a key', () => {
    const code = javascriptLiteral(JSON.parse('{"__proto__": {"polluted": true}}'));
    expect(code).toBe("{ ['__proto__']: { polluted: true } }");
    expect(evaluated(code)).toEqual(JSON.parse('{"__proto__": {"polluted": true}}'));
  });

  it('uses the literals of its language', () => {
    const value = { stream: true, stop: null, top_p: 0.5, 'my-name': "it's", 'a b': false };
    expect(jsonLiteral(value)).toBe('{"stream": true, "stop": null, "top_p": 0.5, "my-name": "it\'s", "a b": false}');
    expect(pythonLiteral(value)).toBe('{"stream": True, "stop": None, "top_p": 0.5, "my-name": "it\'s", "a b": False}');
    expect(javascriptLiteral(value)).toBe(
      String.raw`{ stream: true, stop: null, top_p: 0.5, 'my-name': 'it\'s', 'a b': false }`,
    );
  });

  it('is split into indented lines if a single line would be too long', () => {
    const message = { role: 'user', content: 'x'.repeat(40) };
    expect(javascriptLiteral({ model: 'svc-1', messages: [message] }, 1)).toBe(`{
    model: 'svc-1',
    messages: [{ role: 'user', content: '${'x'.repeat(40)}' }],
  }`);
    expect(jsonLiteral([message, message])).toMatch(/^\[\n {2}\{"role".*\},\n {2}\{"role".*\}\n\]$/);
  });

  it('omits undefined fields, and can contain calls', () => {
    expect(javascriptLiteral({ a: undefined, b: new CodeCall('tool', { name: 'x' }) })).toBe(
      "{ b: tool({ name: 'x' }) }",
    );
    expect(jsonLiteral({})).toBe('{}');
  });
});

const origin = 'https://api.example.com';
const messages = [{ role: 'user' as const, content: 'Hello' }];
const requests: Record<string, CodeRequest> = {
  chat: { kind: 'chat', body: { model: 'svc-1', messages } },
  completion: { kind: 'completion', body: { model: 'svc-instruct', prompt: 'Once' } },
  embeddings: { kind: 'embeddings', body: { model: 'svc-embed', input: ['a', 'b'] } },
  analysis: { kind: 'analysis', body: { text: 'Hello', analyses: ['sentiment'] } },
  translation: { kind: 'translation', body: { text: 'Hello', sourceLanguage: 'en', targetLanguage: 'fr' } },
  agent: {
    kind: 'agent',
    path: '/api/agents/agt_1/conversations/cnv_1/messages',
    body: { content: 'Hello' },
    hasFunctions: false,
  },
  message: {
    kind: 'message',
    body: { channel: 'sms', to: '+14155550100', text: 'Hello' },
    idempotencyKey: 'order-1',
  },
};
const codeOf = (request: CodeRequest, id: string) =>
  codeSnippets(origin, request).find((snippet) => snippet.id === id)?.code ?? '';

describe('the code of a request', () => {
  it('exists in every language that supports the operation', () => {
    const ids = Object.entries(requests).map(([name, request]) => [
      name,
      codeSnippets(origin, request).map(({ id }) => id),
    ]);
    const all = ['curl', 'python', 'javascript', 'openai-python', 'openai-node', 'ai-sdk'];
    expect(Object.fromEntries(ids)).toEqual({
      chat: all,
      completion: all.slice(0, 5),
      embeddings: all,
      analysis: all.slice(0, 3),
      translation: all.slice(0, 3),
      agent: all.slice(0, 3),
      message: all.slice(0, 3),
    });
  });

  it.each(Object.entries(requests))('reads the key from the environment: %s', (_, request) => {
    for (const { code } of codeSnippets(origin, request)) {
      expect(code).toMatch(/\$API_KEY|process\.env\.API_KEY|os\.environ\[['"]API_KEY['"]\]/);
      expect(code).not.toContain('tai_');
      expect(code).toContain(origin);
    }
  });

  it('requests a stream if the request does', () => {
    const streamed: CodeRequest = { kind: 'chat', body: { model: 'svc-1', messages, stream: true } };
    for (const { code } of codeSnippets(origin, streamed)) expect(code).toMatch(/stream|-sN/);
    expect(codeOf(streamed, 'ai-sdk')).toContain('streamText');
    expect(codeOf(requests['chat']!, 'ai-sdk')).toContain('generateText');
  });

  it('prints the reply of an agent, or its whole message if the agent has functions', () => {
    const agent = requests['agent']!;
    expect(codeOf(agent, 'curl')).toContain(`'${origin}/api/agents/agt_1/conversations/cnv_1/messages'`);
    expect(codeOf(agent, 'python')).toContain('print(body["data"]["message"]["content"])');
    expect(codeOf(agent, 'javascript')).toContain('console.log(data.message.content);');
    const calling = { ...agent, hasFunctions: true } as CodeRequest;
    expect(codeOf(calling, 'python')).toContain('print(body["data"]["message"])');
    expect(codeOf(calling, 'javascript')).toContain('console.log(data.message);');
  });

  it('contains the Idempotency-Key of a message, with a comment', () => {
    for (const { code } of codeSnippets(origin, requests['message']!)) {
      expect(code).toMatch(/Idempotency-Key['"]?: ['"]?order-1/);
      expect(code).toMatch(/^(?:#|\/\/) Use a new Idempotency-Key for each message/m);
    }
  });

  it('passes parameters that an SDK lacks in the way that this SDK provides', () => {
    const body = { model: 'svc-1', messages, top_k: 40 };
    expect(codeOf({ kind: 'chat', body }, 'openai-python')).toContain('extra_body={"top_k": 40},');
    expect(codeOf({ kind: 'chat', body }, 'ai-sdk')).toContain('providerOptions: { platform: { top_k: 40 } }');
    expect(codeOf({ kind: 'chat', body }, 'openai-node')).toContain('top_k: 40');
  });

  it('passes functions as tools, and links each result to its call', () => {
    const call = { name: 'find_weather', arguments: '{"city": "Oslo"}' };
    const body = openAiBody({
      model: 'svc-1',
      messages: [
        ...messages,
        { role: 'assistant', content: '', function_call: call },
        { role: 'function', name: 'find_weather', content: '{"sky": "clear"}' },
      ],
      functions: [{ name: 'find_weather' }],
      function_call: 'auto',
    });
    expect(body).toEqual({
      model: 'svc-1',
      messages: [
        ...messages,
        { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function', function: call }] },
        { role: 'tool', tool_call_id: 'call_1', content: '{"sky": "clear"}' },
      ],
      tools: [{ type: 'function', function: { name: 'find_weather' } }],
    });
  });
});
