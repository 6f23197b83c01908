import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { demoEngine } from '#local/demo-engine/engine.ts';
import { countTokens, tokenize } from '#local/sagemaker/words.ts';

const engine = demoEngine({ wordDelayMs: 0 });
const never = new AbortController().signal;

interface Choice {
  index: number;
  text: string;
  finish_reason: string | null;
  message: { content: string | null; tool_calls?: { id: string; function: { name: string; arguments: string } }[] };
  delta: {
    role?: string;
    content?: string;
    tool_calls?: { id?: string; function: { name?: string; arguments: string } }[];
  };
}
interface Body {
  choices: [Choice, ...Choice[]];
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
  data: { embedding: number[] | string; index: number }[];
  error: { message: string; type: string; code: number; param: null };
  object: string;
}

async function ask(body: object, status = 200): Promise<Body> {
  const reply = await engine.invoke(body, never);
  if (reply.kind !== 'json') throw new Error('a stream');
  expect(reply.status).toBe(status);
  return reply.body as Body;
}

async function askStream(body: object, stream_options: object = { include_usage: true }): Promise<Body[]> {
  const reply = await engine.invoke({ ...body, stream: true, stream_options }, never);
  if (reply.kind !== 'stream') throw new Error('no stream');
  expect(reply.contentType).toMatch(/^text\/event-stream/);
  let text = '';
  for await (const chunk of reply.chunks) text += Buffer.from(chunk).toString();
  const events = text.split('\n\n').slice(0, -1);
  expect(events.at(-1)).toBe('data: [DONE]');
  return events.slice(0, -1).map((event) => JSON.parse(event.replace(/^data: /, '')) as Body);
}

const user = (content: string) => ({ messages: [{ role: 'user', content }] });
const say = async (body: object) => (await ask(body)).choices[0].message.content ?? '';

const shapes = [
  ['chat', (text: string) => user(text)],
  ['completion', (text: string) => ({ prompt: text })],
] as const;
const textOf = (choice: Choice) => choice.message?.content ?? choice.text;

describe.each(shapes)('%s', (name, bodyOf) => {
  it('names itself the demo engine and takes up the request', async () => {
    const text = textOf((await ask(bodyOf('What grows in Lisbon gardens?'))).choices[0]);
    expect(text).toContain('built-in demo engine');
    expect(text).toMatch(/Lisbon|gardens/);
  });

  it('gives the same reply to the same request and another to another', async () => {
    const body = bodyOf('Describe the harbour');
    const texts = await Promise.all(
      [body, body, bodyOf('Describe the mountain')].map(async (each) => textOf((await ask(each)).choices[0])),
    );
    expect(texts[0]).toBe(texts[1]);
    expect(texts[0]).not.toBe(texts[2]);
  });

  it('never generates more tokens than max_tokens, reports when it ran out, and counts what it sent', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 400 }), async (text, max_tokens) => {
        const { choices, usage } = await ask({ ...bodyOf(`${text} long`), max_tokens });
        const made = textOf(choices[0]);
        expect(usage.completion_tokens).toBe(countTokens(made));
        expect(usage.completion_tokens).toBe(max_tokens);
        expect(choices[0].finish_reason).toBe('length');
        expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens);
        expect(usage.prompt_tokens).toBeGreaterThanOrEqual(countTokens(`${text} long`));
      }),
      { numRuns: 60 },
    );
  });

  it('ends before a stop sequence, wherever that is', async () => {
    const whole = textOf((await ask(bodyOf('Tell me about rivers'))).choices[0]);
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 12 }), async (from, length) => {
        const stop = whole.slice(from, from + length);
        const { choices, usage } = await ask({ ...bodyOf('Tell me about rivers'), stop: ['never in it', stop] });
        expect(textOf(choices[0])).toBe(whole.slice(0, whole.indexOf(stop)));
        expect(choices[0].finish_reason).toBe('stop');
        expect(usage.completion_tokens).toBe(countTokens(textOf(choices[0])));
      }),
      { numRuns: 60 },
    );
  });

  it('streams one token at a time what it would have returned whole, then reason and usage', async () => {
    const body = { ...bodyOf('How long is the night in Tromsø?'), max_tokens: 70, stop: 'zzz' };
    const whole = await ask(body);
    const events = await askStream(body);
    const pieces = events.flatMap(({ choices: [choice] }) =>
      choice ? [choice.text ?? choice.delta.content ?? ''] : [],
    );
    expect(pieces.join('')).toBe(textOf(whole.choices[0]));
    expect(pieces.filter(Boolean)).toEqual(tokenize(textOf(whole.choices[0])));
    expect(events.at(-2)?.choices[0].finish_reason).toBe(whole.choices[0].finish_reason);
    expect(events.at(-1)).toMatchObject({ choices: [], usage: whole.usage });
    const firstDelta = events[0]?.choices[0].delta;
    expect(firstDelta?.role).toBe(name === 'chat' ? 'assistant' : undefined);
    expect(events.slice(0, -2).every(({ choices }) => choices[0].finish_reason === null)).toBe(true);
  });

  it('reports with each piece what was used so far where that is requested, beside the usage of the whole', async () => {
    const body = { ...bodyOf('How long is the night in Tromsø?'), max_tokens: 7 };
    const { usage } = await ask(body);
    const events = await askStream(body, { include_usage: true, continuous_usage_stats: true });
    const pieces = events.filter(({ choices: [choice] }) => choice?.text || choice?.delta?.content);
    expect(pieces.map((piece) => piece.usage)).toEqual(
      pieces.map((_, index) => ({
        prompt_tokens: usage.prompt_tokens,
        completion_tokens: index + 1,
        total_tokens: usage.prompt_tokens + index + 1,
      })),
    );
    expect(events.slice(-2).map((event) => event.usage)).toEqual([usage, usage]);
    for (const options of [{ include_usage: true }, { include_usage: false, continuous_usage_stats: true }]) {
      const without = (await askStream(body, options)).filter(({ choices }) => choices.length > 0);
      expect(without.filter((event) => event.usage)).toEqual([]);
    }
  });

  it('can be long when that is requested', async () => {
    const { choices, usage } = await ask({ ...bodyOf('Write a long story about a fox'), max_tokens: 8000 });
    expect(usage.completion_tokens).toBeGreaterThan(4000);
    expect(choices[0].finish_reason).toBe('stop');
    const sentences = textOf(choices[0]).split(/(?<=\.)\s+/);
    expect(new Set(sentences).size).toBeGreaterThan(sentences.length * 0.9);
    expect((await ask(bodyOf('Write a story in 200 words'))).usage.completion_tokens).toBeLessThan(400);
  });

  it('refuses what its context cannot hold in the words of vLLM', async () => {
    const tooMuch = await ask({ ...bodyOf('hi'), max_tokens: 32_768 }, 400);
    expect(tooMuch.error).toMatchObject({ type: 'BadRequestError', param: null, code: 400 });
    expect(tooMuch.error.message).toContain("This model's maximum context length is 32768 tokens");
    expect((await ask(bodyOf('word '.repeat(33_000)), 400)).error.message).toContain('maximum context length');
  });

  it.each([[{ max_tokens: 0 }], [{ max_tokens: 1.5 }], [{ stop: 7 }], [{ stream: 'yes' }]])(
    'refuses %j',
    async (wrong) => {
      const { error } = await ask({ ...bodyOf('hi'), ...wrong }, 400);
      expect(error).toMatchObject({ type: 'BadRequestError', param: null, code: 400 });
    },
  );
});

describe('bodies', () => {
  it.each([
    [null],
    ['text'],
    [[]],
    [{}],
    [{ messages: [] }],
    [{ messages: 'hi' }],
    [{ messages: [{ content: 'hi' }] }],
    [{ prompt: 7 }],
    [{ input: [] }],
    [{ input: 'x', dimensions: 0 }],
    [{ input: 'x', dimensions: 5000 }],
    [{ input: 'x', encoding_format: 'hex' }],
  ])('without sense are refused: %j', async (body) => {
    expect((await ask(body as object, 400)).error.code).toBe(400);
  });

  it('may hold content in parts, null content and fields nobody knows', async () => {
    const parts = [
      { type: 'text', text: 'About ' },
      { type: 'text', text: 'Vienna' },
    ];
    const messages = [
      { role: 'assistant', content: null },
      { role: 'user', content: parts },
    ];
    expect(await say({ messages, n: 3, seed: 1, top_k: 5, stop: null, tools: null })).toContain('About Vienna');
  });
});

describe('a stream', () => {
  it('takes its time between words and ends when the caller goes away', async () => {
    const slow = demoEngine({ wordDelayMs: 5 });
    const gone = new AbortController();
    const reply = await slow.invoke({ ...user('hello there'), stream: true }, gone.signal);
    if (reply.kind !== 'stream') throw new Error('no stream');
    const began = performance.now();
    let chunks = 0;
    const read = (async () => {
      for await (const _ of reply.chunks) {
        chunks += 1;
        if (chunks === 8) gone.abort();
      }
    })();
    await expect(read).rejects.toMatchObject({ name: 'AbortError' });
    expect(chunks).toBe(8);
    expect(performance.now() - began).toBeGreaterThan(30);
  });
});

describe('translation', () => {
  const translate = (
    text: string,
    order = 'Translate the text from English to German. Answer with the translation only.',
  ) =>
    say({
      messages: [
        { role: 'system', content: order },
        { role: 'user', content: text },
      ],
    });

  it('replaces the words it knows, keeps the others, and adds nothing', async () => {
    expect(await translate('Good morning! The red house is in Hamburg.')).toBe(
      'Guten Morgen! Die rot Haus ist in Hamburg.',
    );
    expect(await translate('Good morning!', 'You translate. Target language: fr. Source language: en.')).toBe(
      'Bon matin!',
    );
    expect(await translate('Guten Morgen', 'Translate from German into English.')).toBe('Good Morning');
  });

  it('keeps as many sentences, and text in a language it lacks', async () => {
    const text = 'One dog. Two cats? “Yes”, I said!\n\nToday…';
    const marks = (each: string) => each.replaceAll(/[\p{L}\p{M}’ ]+/gu, '');
    expect(marks(await translate(text))).toBe(marks(text));
    const finnish = 'Translate from English to Finnish. Add nothing to it.';
    expect(await translate('Good morning', finnish)).toBe('Good morning');
  });
});

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Get the current weather in a given location',
    parameters: {
      type: 'object',
      properties: {
        location: { type: 'string' },
        unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
        days: { type: 'integer', minimum: 1, maximum: 7 },
      },
      required: ['location'],
    },
  },
};
const invoice = {
  type: 'function',
  function: { name: 'sendInvoice', parameters: { type: 'object', properties: { customer: { type: 'string' } } } },
};

async function called(body: object) {
  const [choice] = (await ask({ tools: [weather, invoice], ...body })).choices;
  const call = choice.message.tool_calls?.[0]?.function;
  return { reason: choice.finish_reason, name: call?.name, args: call && JSON.parse(call.arguments) };
}

describe('tools', () => {
  it('are called when the message is about one, with its words as arguments', async () => {
    expect(await called(user('How is the weather in New York, in fahrenheit, for 3 days?'))).toEqual({
      reason: 'tool_calls',
      name: 'get_weather',
      args: { location: 'New York', unit: 'fahrenheit', days: 3 },
    });
    expect(await called(user('weather in paris please'))).toMatchObject({ args: { location: 'paris' } });
    expect(await called(user('Send the invoice to Acme'))).toMatchObject({
      name: 'sendInvoice',
      args: { customer: 'Acme' },
    });
  });

  it('are left alone when the message is about something else, or tool_choice is none', async () => {
    expect(await called(user('Tell me a joke'))).toMatchObject({ reason: 'stop', name: undefined });
    expect(await called({ ...user('weather in Rome'), tool_choice: 'none' })).toMatchObject({ name: undefined });
  });

  it('are called when forced, whatever the message is', async () => {
    const forced = { type: 'function', function: { name: 'sendInvoice' } };
    expect(await called({ ...user('weather in Rome'), tool_choice: forced })).toMatchObject({ name: 'sendInvoice' });
    expect(await called({ ...user('Hello'), tool_choice: 'required' })).toMatchObject({ name: 'get_weather' });
    const unknown = { type: 'function', function: { name: 'other' } };
    expect((await ask({ ...user('hi'), tools: [weather], tool_choice: unknown }, 400)).error.message).toContain(
      'tool_choice',
    );
  });

  it('end in a reply with text once there is a result', async () => {
    const messages = [
      { role: 'user', content: 'How is the weather in Rome?' },
      { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function', function: {} }] },
      { role: 'tool', tool_call_id: 'call_1', name: 'get_weather', content: '{"temperature":22,"sky":"clear"}' },
    ];
    const text = await say({ messages, tools: [weather] });
    expect(text).toContain('temperature is 22, sky is clear');
    expect(text).toContain('get_weather');
  });

  it('stream the name first, then the arguments in pieces', async () => {
    const body = { ...user('weather in Rome in celsius'), tools: [weather] };
    const whole = (await ask(body)).choices[0].message.tool_calls?.[0];
    const events = await askStream(body);
    const calls = events.flatMap(({ choices: [choice] }) => choice?.delta.tool_calls ?? []);
    expect(calls[0]).toMatchObject({ id: whole?.id, function: { name: 'get_weather', arguments: '' } });
    expect(calls.length).toBeGreaterThan(5);
    expect(calls.map((call) => call.function.arguments).join('')).toBe(whole?.function.arguments);
    expect(events.at(-2)?.choices[0].finish_reason).toBe('tool_calls');
  });

  it('end with length when the arguments do not fit', async () => {
    const { choices, usage } = await ask({ ...user('weather in Rome'), tools: [weather], max_tokens: 4 });
    expect([choices[0].finish_reason, usage.completion_tokens]).toEqual(['length', 4]);
  });
});

interface Schema {
  $ref?: string;
  format?: string;
  [keyword: string]: unknown;
}

/** An independent judge of the keywords that the generator below uses. */
function valid(value: unknown, schema: Schema, defs: Record<string, Schema>): boolean {
  const is = (name: unknown) => typeof schema[String(name)] === 'number';
  const limit = (name: string) => schema[name] as number;
  if (schema.$ref) return valid(value, defs[schema.$ref.replace('#/$defs/', '')]!, defs);
  if (schema.anyOf) return (schema.anyOf as Schema[]).some((branch) => valid(value, branch, defs));
  if ('const' in schema) return JSON.stringify(value) === JSON.stringify(schema.const);
  if (schema.enum) return (schema.enum as unknown[]).some((each) => JSON.stringify(each) === JSON.stringify(value));
  const types = new Set([schema.type].flat());
  if (value === null) return types.has('null');
  if (typeof value === 'boolean') return types.has('boolean');
  if (typeof value === 'number') {
    return (
      (types.has('number') || (types.has('integer') && Number.isInteger(value))) &&
      !(is('minimum') && value < limit('minimum')) &&
      !(is('maximum') && value > limit('maximum')) &&
      !(is('exclusiveMinimum') && value <= limit('exclusiveMinimum')) &&
      !(is('exclusiveMaximum') && value >= limit('exclusiveMaximum')) &&
      !(is('multipleOf') && value % limit('multipleOf') !== 0)
    );
  }
  if (typeof value === 'string') {
    const points = Array.from(value).length;
    const formats: Record<string, (text: string) => boolean> = {
      date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)),
      'date-time': (text) => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) && !Number.isNaN(Date.parse(text)),
      email: (text) => /^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(text),
      uri: (text) => URL.canParse(text),
    };
    const formatted = schema.format === undefined || formats[schema.format]!(value);
    const short = is('minLength') && points < limit('minLength');
    return types.has('string') && formatted && !short && !(is('maxLength') && points > limit('maxLength'));
  }
  if (Array.isArray(value)) {
    const few = is('minItems') && value.length < limit('minItems');
    const many = is('maxItems') && value.length > limit('maxItems');
    return types.has('array') && !few && !many && value.every((each) => valid(each, schema.items as Schema, defs));
  }
  const object = value as Record<string, unknown>;
  const properties = (schema.properties ?? {}) as Record<string, Schema>;
  return (
    types.has('object') &&
    ((schema.required ?? []) as string[]).every((name) => Object.hasOwn(object, name)) &&
    Object.entries(object).every(
      ([name, each]) => Object.hasOwn(properties, name) && valid(each, properties[name]!, defs),
    )
  );
}

const range = fc.tuple(fc.integer({ min: -1000, max: 1000 }), fc.nat(500));
const numbers = fc.oneof(
  fc.record({ type: fc.constantFrom('number', 'integer') }),
  fc
    .tuple(fc.constantFrom('number', 'integer'), range)
    .map(([type, [least, more]]) => ({ type, minimum: least, maximum: least + more })),
  range.map(([least, more]) => ({
    type: 'number',
    exclusiveMinimum: least / 8,
    exclusiveMaximum: (least + more + 1) / 8,
  })),
  range.map(([least, more]) => ({ type: 'integer', exclusiveMinimum: least, exclusiveMaximum: least + more + 2 })),
  fc.tuple(range, fc.integer({ min: 1, max: 50 })).map(([[least, more], multipleOf]) => ({
    type: 'integer',
    multipleOf,
    minimum: least,
    maximum: least + more + multipleOf,
  })),
  range.map(([maximum]) => ({ type: 'number', maximum })),
);
const strings = fc.oneof(
  fc.constant({ type: 'string' }),
  fc
    .tuple(fc.nat(40), fc.nat(40))
    .map(([minLength, more]) => ({ type: 'string', minLength, maxLength: minLength + more })),
  fc.constantFrom('date', 'date-time', 'email', 'uri').map((format) => ({ type: 'string', format })),
);
const leaves = fc.oneof(
  numbers,
  strings,
  fc.constantFrom<Schema>(
    { type: 'boolean' },
    { type: 'null' },
    { type: ['null', 'string'] },
    { $ref: '#/$defs/node' },
  ),
  fc
    .jsonValue({ maxDepth: 1 })
    .filter((value) => value !== undefined)
    .map((value) => ({ const: value })),
  fc
    .array(fc.oneof(fc.string(), fc.integer(), fc.boolean()), { minLength: 1, maxLength: 4 })
    .map((values) => ({ enum: values })),
);
const propertyName = fc.oneof(
  fc.constantFrom('city', 'query', 'count', '__proto__', 'constructor', 'toString'),
  fc.string(),
);
const { node } = fc.letrec<{ node: Schema; object: Schema; array: Schema; choice: Schema }>((tie) => ({
  node: fc.oneof({ depthSize: 'small', withCrossShrink: true }, leaves, tie('object'), tie('array'), tie('choice')),
  object: fc.tuple(fc.array(fc.tuple(propertyName, tie('node'), fc.boolean()), { maxLength: 4 })).map(([fields]) => ({
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, schema]) => [name, schema])),
    required: fields.filter(([, , needed]) => needed).map(([name]) => name),
  })),
  array: fc.tuple(tie('node'), fc.nat(3), fc.nat(3)).map(([items, minItems, more]) => ({
    type: 'array',
    items,
    minItems,
    maxItems: minItems + more,
  })),
  choice: fc.array(tie('node'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
}));

describe('arguments', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(
      'Book a table for 2 in Paris on 2026-05-06',
      'mail ann@example.org 17 "things" from https://example.org/x',
      '',
    ),
  );
  const defs = {
    node: { type: 'object', properties: { next: { $ref: '#/$defs/node' }, n: { type: 'integer' } }, required: ['n'] },
  };

  async function fill(parameters: object, text: string): Promise<unknown> {
    const tool = { type: 'function', function: { name: 'f', parameters } };
    const body = { ...user(text), tools: [tool], tool_choice: 'required' };
    const { choices } = await ask(body);
    expect(choices[0].finish_reason).toBe('tool_calls');
    return JSON.parse(choices[0].message.tool_calls![0]!.function.arguments);
  }

  it('satisfy any schema', async () => {
    await fc.assert(
      fc.asyncProperty(node, texts, async (schema, text) => {
        const args = await fill({ type: 'object', properties: { it: schema }, required: ['it'], $defs: defs }, text);
        expect({ args, valid: valid((args as { it: unknown }).it, schema, defs) }).toEqual({ args, valid: true });
      }),
      { numRuns: 400 },
    );
  });

  it('follow defaults, merged parts and references to the whole', async () => {
    const schema = {
      allOf: [{ properties: { a: { default: 'x' } }, required: ['a'] }, { $ref: '#/$defs/b' }],
      $defs: { b: { properties: { b: { const: 5 } }, required: ['b'] } },
    };
    expect(await fill(schema, 'hi')).toEqual({ a: 'x', b: 5 });
    const tree = { type: 'object', properties: { kids: { type: 'array', items: { $ref: '#' } } }, required: ['kids'] };
    expect(await fill(tree, 'hi')).toMatchObject({ kids: expect.any(Array) });
  });

  it('take several names and numbers into lists', async () => {
    const list = (type: string) => ({ type: 'array', items: { type } });
    const schema = { type: 'object', properties: { cities: list('string'), values: list('number') } };
    expect(await fill(schema, 'Compare Oslo and Rome at 3.5 and 4')).toEqual({
      cities: ['Oslo', 'Rome'],
      values: [3.5, 4],
    });
  });

  it('stay small and come immediately for schemas made to hurt', async () => {
    const bomb = (depth: number): object =>
      depth === 0 ? { type: 'string', minLength: 1e9 } : { type: 'array', minItems: 1e9, items: bomb(depth - 1) };
    const loop = { $ref: '#', allOf: Array.from({ length: 50 }, () => ({ $ref: '#', anyOf: [{ $ref: '#' }] })) };
    const began = performance.now();
    await ask({
      ...user('x'),
      tools: [{ type: 'function', function: { name: 'f', parameters: bomb(20) } }],
      tool_choice: 'required',
      max_tokens: 10,
    });
    await ask({
      ...user('x'),
      tools: [{ type: 'function', function: { name: 'f', parameters: loop } }],
      tool_choice: 'required',
    });
    expect(performance.now() - began).toBeLessThan(2000);
  });
});

describe('embeddings', () => {
  const vectors = async (input: string | string[], more: object = {}) =>
    (await ask({ input, ...more })).data.map(({ embedding }) => embedding as number[]);
  const dot = (a: number[], b: number[]) => a.reduce((sum, value, index) => sum + value * b[index]!, 0);

  it('are unit vectors of the requested size, one per text in order, always the same', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 4096 }),
        async (input, dimensions) => {
          const reply = await ask({ input, dimensions });
          expect(reply.data.map(({ index }) => index)).toEqual(input.map((_, index) => index));
          for (const { embedding } of reply.data) {
            expect(embedding).toHaveLength(dimensions);
            expect(dot(embedding as number[], embedding as number[])).toBeCloseTo(1, 4);
          }
          expect((await ask({ input, dimensions })).data).toEqual(reply.data);
          expect(reply.usage).toMatchObject({ completion_tokens: 0, total_tokens: reply.usage.prompt_tokens });
        },
      ),
      { numRuns: 40 },
    );
    expect((await vectors('hello'))[0]).toHaveLength(1536);
  });

  it('put texts that share words or word parts nearer than unrelated ones', async () => {
    const [cat, cats, dog, tax] = await vectors([
      'The cat sleeps on the warm sofa',
      'Cats are sleeping on sofas',
      'A dog barks at the cat near the sofa',
      'Quarterly tax filings are due on Monday',
    ]);
    expect(dot(cat!, cats!)).toBeGreaterThan(0.3);
    expect(dot(cat!, dog!)).toBeGreaterThan(dot(cat!, tax!) + 0.1);
    expect(Math.abs(dot(cat!, tax!))).toBeLessThan(0.2);
  });

  it('come as little-endian floats in base64, with the same values', async () => {
    const [plain] = await vectors('same', { dimensions: 8 });
    const [encoded] = (await ask({ input: 'same', dimensions: 8, encoding_format: 'base64' })).data;
    const bytes = Buffer.from(encoded!.embedding as string, 'base64');
    expect(Array.from({ length: 8 }, (_, index) => bytes.readFloatLE(index * 4))).toEqual(plain);
  });
});

describe('tokens', () => {
  it('join to the text again, none empty, and never more than its bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const tokens = tokenize(text);
        expect(tokens.join('')).toBe(text);
        expect(tokens.every((token) => token !== '')).toBe(true);
        expect(tokens.length).toBeLessThanOrEqual(Buffer.byteLength(text));
      }),
    );
  });

  it('are made in linear time', () => {
    const began = performance.now();
    for (const text of [' '.repeat(1e6), 'x'.repeat(1e6), 'x '.repeat(5e5)]) tokenize(text);
    expect(performance.now() - began).toBeLessThan(3000);
  });
});
