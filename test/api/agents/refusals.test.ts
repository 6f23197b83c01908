import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tables } from '#contract/platform/tables.ts';
import { agentOwner, type Owner } from '#test/agents/owner.ts';
import { code, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
let owner: Owner;
let other: Owner;
beforeAll(async () => {
  service = await startTestService();
  [owner, other] = [await agentOwner(service), await agentOwner(service)];
});
afterAll(() => service.close());

async function stored(): Promise<unknown> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient());
  const { Items = [] } = await client.send(new ScanCommand({ TableName: tables.agents.name }));
  client.destroy();
  return Items;
}

const agent = { name: 'Guide', model: 'svc-1' };
const named = (name: string) => ({ name });
const mebibyte = 1024 * 1024;

const ofAgents: [what: string, body: object, detail: string][] = [
  ['no name', { model: 'svc-1' }, 'name is required.'],
  ['an empty name', { ...agent, name: '' }, 'name must not be empty.'],
  ['a long name', { ...agent, name: 'n'.repeat(65) }, 'name must have at most 64 characters.'],
  ['no model', { name: 'Guide' }, 'model is required.'],
  ['a model for embeddings', { ...agent, model: 'svc-embed' }, 'model must name a model for chat.'],
  [
    'long instructions',
    { ...agent, instructions: '😀'.repeat(8001) },
    'instructions must have at most 8000 characters.',
  ],
  [
    'functions of one name',
    { ...agent, functions: [named('a'), named('a')] },
    'functions must not have two functions of one name.',
  ],
  [
    'too many functions',
    { ...agent, functions: Array.from({ length: 129 }, (_, at) => named(`f${at}`)) },
    'functions must have at most 128 functions.',
  ],
  [
    'large functions',
    { ...agent, functions: [{ name: 'a', description: 'd'.repeat(65_536) }] },
    'functions must have at most 65536 bytes as JSON.',
  ],
  ['a hot temperature', { ...agent, temperature: 2.1 }, 'temperature must be at most 2.'],
  ['no tokens', { ...agent, maxTokens: 0 }, 'maxTokens must be positive.'],
  ['an unknown truncation', { ...agent, truncation: 'cut' }, 'truncation must be drop, summarize or error.'],
  ['a long retention', { ...agent, retentionDays: 366 }, 'retentionDays must be at most 365.'],
  ['no retention', { ...agent, retentionDays: 0 }, 'retentionDays must be positive.'],
];

const ofDocuments: [what: string, body: object, detail: string][] = [
  ['no name', { text: 'a' }, 'name is required.'],
  ['no text', { name: 'a' }, 'text is required.'],
  ['an empty text', { name: 'a', text: '' }, 'text must not be empty.'],
  ['a text of white space', { name: 'a', text: ' \n\t' }, 'text must not be empty.'],
  ['a number for a text', { name: 'a', text: 5 }, 'text must be a string.'],
  [
    'bytes that are no text',
    { name: 'a', text: 'PK\u0003\u0004\u0000' },
    'text must be text, without control characters.',
  ],
  ['half a character', { name: 'a', text: '\ud83d' }, 'text must be well-formed Unicode.'],
  [
    'a long text',
    { name: 'a', text: `${'ä'.repeat(mebibyte / 2)}a` },
    'text must have at most 1048576 bytes as UTF-8.',
  ],
  [
    'a text of too many chunks',
    { name: 'a', text: `${'a'.repeat(501)}. `.repeat(2001) },
    'text must have at most 2000 chunks, and it has 2001.',
  ],
];

const ofMessages: [what: string, body: object, detail: string][] = [
  ['nothing', {}, 'content is required unless there are functionResults.'],
  ['an empty content', { content: '' }, 'content must not be empty.'],
  ['a long content', { content: 'c'.repeat(100_001) }, 'content must have at most 100000 characters.'],
  ['half a character', { content: '\ud83d' }, 'content must be well-formed Unicode.'],
  [
    'both',
    { content: 'a', functionResults: [{ name: 'a', content: 'b' }] },
    'functionResults must not be sent beside content.',
  ],
  ['no results', { functionResults: [] }, 'functionResults must not be empty.'],
  [
    'two results',
    {
      functionResults: [
        { name: 'a', content: 'b' },
        { name: 'a', content: 'b' },
      ],
    },
    'functionResults must have one result, as a message has one call.',
  ],
  ['a result without a name', { functionResults: [{ content: 'b' }] }, 'functionResults.0.name is required.'],
  ['a word for stream', { content: 'a', stream: 'yes' }, 'stream must be true or false.'],
];

describe('a refusal costs nothing and leaves nothing', () => {
  async function expectRefused(method: string, path: string, body: object, expected: string, detail: string) {
    const [items, credits] = [await stored(), await owner.credits()];
    const refused = await owner.call(method, path, body);
    expect([code(refused), refused.body.detail]).toEqual([expected, detail]);
    expect([await stored(), await owner.credits()]).toEqual([items, credits]);
  }

  it.each(ofAgents)('of an agent with %s', (_, body, detail) =>
    expectRefused('POST', '/api/agents', body, '400 INVALID_FORMAT', detail),
  );

  it.each(ofAgents.filter(([what]) => !what.startsWith('no ') || what === 'no tokens'))(
    'of a change to %s',
    (_, body, detail) => expectRefused('PATCH', owner.path, body, '400 INVALID_FORMAT', detail),
  );

  it.each(ofDocuments)('of a document with %s', (_, body, detail) =>
    expectRefused('POST', `${owner.path}/documents`, body, '400 INVALID_FORMAT', detail),
  );

  it.each(ofMessages)('of a message with %s', async (_, body, detail) => {
    const { path } = await owner.conversation();
    await expectRefused('POST', `${path}/messages`, body, '400 INVALID_FORMAT', detail);
  });

  it('of a function result that nobody requested', async () => {
    const { path } = await owner.conversation();
    const body = { functionResults: [{ name: 'get_weather', content: '21' }] };
    const detail = 'No function was called; functionResults are not expected.';
    await expectRefused('POST', `${path}/messages`, body, '409 INVALID_STATE', detail);
  });

  it('of the hundred-and-first agent', async () => {
    const many = await agentOwner(service);
    for (let count = 1; count < 100; count++) await many.call('POST', '/api/agents', agent);
    const refused = await many.call('POST', '/api/agents', agent);
    expect([code(refused), refused.body.detail]).toEqual([
      '409 INVALID_STATE',
      'An account may have 100 agents; delete one first.',
    ]);
    expect(code(await many.call('DELETE', many.path))).toBe('200 SUCCESS');
    expect(code(await many.call('POST', '/api/agents', agent))).toBe('201 SUCCESS');
  });

  it.each(['agt_0', 'cnv_0000000000000', 'doc_', '1; drop', 'msg_12'])(
    'of the cursor %j of something else',
    async (cursor) => {
      const { path } = await owner.conversation();
      const query = `?cursor=${encodeURIComponent(cursor)}`;
      const lists = ['/api/agents', `${owner.path}/documents`, `${owner.path}/conversations`, path];
      const codes = await Promise.all(lists.map(async (list) => code(await owner.call('GET', list + query))));
      const isItsOwn = [/^agt_\w+$/, /^doc_\w+$/, /^cnv_\w+$/, /^msg_\d{10}$/].map((form) => form.test(cursor));
      expect(codes).toEqual(isItsOwn.map((is) => (is ? '200 SUCCESS' : '400 INVALID_FORMAT')));
    },
  );
});

describe("another account's", () => {
  it('agent, document and conversation are not there, whatever is done to them', async () => {
    const { id: documentId } = (await owner.call('POST', `${owner.path}/documents`, { name: 'a', text: 'A text.' }))
      .body.data;
    const { path, id } = await owner.conversation();
    await owner.call('POST', `${path}/messages`, { content: 'A secret' });
    const items = await stored();
    const attempts: [string, string, object?][] = [
      ['GET', owner.path],
      ['PATCH', owner.path, { name: 'Mine' }],
      ['DELETE', owner.path],
      ['POST', `${owner.path}/documents`, { name: 'a', text: 'A text.' }],
      ['GET', `${owner.path}/documents`],
      ['DELETE', `${owner.path}/documents/${documentId}`],
      ['DELETE', `${other.path}/documents/${documentId}`],
      ['POST', `${owner.path}/conversations`],
      ['GET', `${owner.path}/conversations`],
      ['GET', path],
      ['DELETE', path],
      ['POST', `${path}/messages`, { content: 'Hello' }],
      // Through an agent of one's own.
      ['GET', `${other.path}/conversations/${id}`],
      ['DELETE', `${other.path}/conversations/${id}`],
      ['POST', `${other.path}/conversations/${id}/messages`, { content: 'Hello' }],
    ];
    const credits = await other.credits();
    for (const [method, at, body] of attempts)
      expect([method, at, code(await other.call(method, at, body))]).toEqual([method, at, '404 NOT_FOUND']);
    expect([await stored(), await other.credits()]).toEqual([items, credits]);
    expect((await other.call('GET', `/api/agents?cursor=${owner.agent.id}`)).body.data.items).not.toContainEqual(
      expect.objectContaining({ id: owner.agent.id }),
    );
  });
});
