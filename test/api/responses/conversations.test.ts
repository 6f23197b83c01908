import { describe, expect, it } from 'vitest';
import { purgeAccounts as buildPurgeAccounts } from '#jobs/accounts.ts';
import { services } from '#runtime/services/container.ts';
import { compactionViolations, responseViolations } from '#test/contract/open-responses.ts';
import { rowsOf } from '#test/database/rows.ts';
import { mistyped } from '#test/requests/mistyped.ts';
import { useScriptedService } from '#test/service/scripted-service.ts';

const service = useScriptedService({ deadlineMs: 4000 });
const path = '/openai/v1/responses';

/** The model repeats the number of its messages. `sent` are the messages that it received last. */
let sent: any[] = [];
function listens(message: (messages: any[]) => object = ({ length }) => ({ content: `${length} messages` })): void {
  service.model.becomes({
    invoke: async (body: any) => {
      sent = body.messages;
      return { kind: 'json', status: 200, body: { choices: [{ message: message(sent), finish_reason: 'stop' }] } };
    },
  });
}

async function call(method: string, url: string, body?: object, key = service.person.key) {
  const reply = await fetch(service.origin + url, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: reply.status, headers: reply.headers, body: (await reply.json()) as any };
}

async function create(more: object, status = 200, key?: string): Promise<any> {
  const reply = await call('POST', path, { model: 'svc-1', ...more }, key);
  expect([reply.status, reply.body.error?.message]).toEqual([status, status === 200 ? undefined : expect.any(String)]);
  if (status === 200) expect(responseViolations(reply.body)).toEqual([]);
  return reply.body;
}

const contents = () => sent.map(({ content }) => content);
const long = (words: number) => 'river '.repeat(words);

describe('a conversation by previous_response_id', () => {
  it('contains earlier input and output, but not the instructions', async () => {
    listens();
    const first = await create({ input: 'one', instructions: 'Be kind' });
    const second = await create({ input: 'two', previous_response_id: first.id });
    expect(second.previous_response_id).toBe(first.id);
    await create({ input: 'three', previous_response_id: second.id, instructions: 'Be brief' });
    expect(contents()).toEqual(['Be brief', 'one', '2 messages', 'two', '3 messages', 'three']);
    await create({ input: 'other', previous_response_id: first.id });
    expect(contents()).toEqual(['one', '2 messages', 'other']);
  });

  it('with 20 responses fits with truncation auto, and returns 400 without it', async () => {
    listens(() => ({ content: 'river' }));
    let previous: string | null = null;
    for (let turn = 0; turn < 20; turn += 1) {
      const body = { input: `${turn} ${long(300)}`, previous_response_id: previous, truncation: 'auto' };
      const response: any = await create({ ...body, instructions: 'Be kind' });
      expect(response.truncation).toBe('auto');
      previous = response.id;
    }
    expect(contents()[0]).toBe('Be kind');
    expect(contents().at(-1)).toMatch(/^19 /);
    expect(sent.length).toBeGreaterThan(10);
    expect(sent.length).toBeLessThan(30);
    const refused = await create({ input: 'more', previous_response_id: previous }, 400);
    expect(refused.error).toMatchObject({ type: 'invalid_request_error', code: 'context_length_exceeded' });
  });

  it('cannot continue a response that is unknown, deleted, expired, not stored or of another account', async () => {
    listens();
    const refused = async (previous_response_id: string, key?: string) => {
      const invocations = service.model.invocations();
      const { error } = await create({ input: 'Hi', previous_response_id }, 404, key);
      expect(error).toMatchObject({
        param: 'previous_response_id',
        code: 'previous_response_not_found',
        type: 'not_found',
      });
      expect(service.model.invocations()).toBe(invocations);
    };
    const first = await create({ input: 'one' });
    const second = await create({ input: 'two', previous_response_id: first.id });
    const other = await service.calls.person({ planRank: 4 });
    await refused(second.id, other.key);
    await refused('resp_unknown');
    await refused((await create({ input: 'one', store: false })).id);
    expect((await call('DELETE', `${path}/${first.id}`)).body).toEqual({
      id: first.id,
      object: 'response',
      deleted: true,
    });
    await refused(first.id);
    await refused(second.id);
    expect((await create({ input: 'Hi', previous_response_id: first.id }, 401, mistyped(other.key))).error.type).toBe(
      'authentication_error',
    );
  });

  it('continues with the results of functions', async () => {
    const tools = [
      { type: 'namespace', name: 'sky', tools: [{ type: 'function', name: 'look', parameters: { type: 'object' } }] },
    ];
    listens(() => ({ content: null, tool_calls: [{ id: '0', function: { name: 'look', arguments: '{}' } }] }));
    const first = await create({ input: 'Look', tools });
    const [called] = first.output;
    expect(called).toMatchObject({ type: 'function_call', name: 'look', namespace: 'sky' });
    listens();
    const result = { type: 'function_call_output', call_id: called.call_id, output: 'clear' };
    await create({ input: [result], previous_response_id: first.id, tools });
    expect(sent.slice(-2)).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: called.call_id, type: 'function', function: { name: 'look', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: called.call_id, name: 'look', content: 'clear' },
    ]);
    expect((await create({ input: [result] }, 400)).error).toMatchObject({ param: 'input' });
  });
});

describe('a reference to an item', () => {
  it('is replaced by the item of a stored response', async () => {
    listens();
    const first = await create({ input: 'one' });
    const items = (await call('GET', `${path}/${first.id}/input_items`)).body.data;
    const references = [items[0].id, first.output[0].id].map((id) => ({ type: 'item_reference', id }));
    const next = await create({ input: [...references, { role: 'user', content: 'two' }] });
    expect(contents()).toEqual(['one', '1 messages', 'two']);
    await call('DELETE', `${path}/${first.id}`);
    await create({ input: 'three', previous_response_id: next.id });
    expect(contents()).toEqual(['one', '1 messages', 'two', '3 messages', 'three']);
    for (const id of [first.output[0].id, 'msg_unknown'])
      expect((await create({ input: [{ type: 'item_reference', id }] }, 404)).error).toMatchObject({
        param: 'input',
        type: 'not_found',
      });
  });

  it('counts as often as it is repeated', async () => {
    listens();
    const long = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'a'.repeat(1_000_000) }] };
    const first = await create({ input: [long, { role: 'user', content: 'one' }] });
    const [item] = (await call('GET', `${path}/${first.id}/input_items?order=asc&limit=1`)).body.data;
    const repeated = Array.from({ length: 20 }, () => ({ type: 'item_reference', id: item.id }));
    const { error } = await create({ input: [...repeated, { role: 'user', content: 'two' }] }, 400);
    expect(error.message).toMatch(/^input refers to items of more than/);
  });
});

describe('input items', () => {
  it('are listed in pages, newest first or oldest first', async () => {
    listens();
    const input = Array.from({ length: 5 }, (_, index) => ({ role: 'user', content: `${index}`, id: `msg_${index}` }));
    const { id } = await create({ input });
    const page = async (query: string) => (await call('GET', `${path}/${id}/input_items${query}`)).body;
    const whole = await page('');
    expect(whole.data.map((item: any) => item.id)).toEqual(['msg_4', 'msg_3', 'msg_2', 'msg_1', 'msg_0']);
    expect(await page('?order=asc&limit=2&after=msg_1')).toMatchObject({
      object: 'list',
      data: [
        { id: 'msg_2', role: 'user', status: 'completed', content: [{ type: 'input_text', text: '2' }] },
        { id: 'msg_3' },
      ],
      first_id: 'msg_2',
      last_id: 'msg_3',
      has_more: true,
    });
    expect(await page('?after=msg_0')).toMatchObject({ data: [], first_id: null, last_id: null, has_more: false });
    expect((await page('?after=msg_9')).error.param).toBe('after');
    expect((await page('?limit=101')).error.param).toBe('limit');
  });
});

describe('a stored response', () => {
  it('is hidden from other accounts', async () => {
    listens();
    const { id } = await create({ input: 'one' });
    const other = await service.calls.person();
    for (const [method, url] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/input_items'],
      ['POST', '/cancel'],
    ]) {
      const { status, body } = await call(method!, `${path}/${id}${url}`, undefined, other.key);
      expect([status, body.error.type]).toEqual([404, 'not_found']);
    }
    expect((await call('GET', `${path}/${id}?stream=true`)).body.error).toMatchObject({ param: 'stream' });
    expect((await call('GET', `${path}/${id}?stream=false`)).status).toBe(200);
  });

  it('is replayed with its Idempotency-Key, and stored once', async () => {
    listens();
    const send = () =>
      fetch(service.origin + path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${service.person.key}`,
          'content-type': 'application/json',
          'idempotency-key': 'once',
        },
        body: JSON.stringify({ model: 'svc-1', input: 'one' }),
      });
    const first = await (await send()).json();
    const again = await send();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await again.json()).toEqual(first);
  });

  it('names omitted tools in a header', async () => {
    listens();
    const body = { model: 'svc-1', input: 'Hi', tools: [{ type: 'web_search' }, { type: 'mcp', server_label: 'x' }] };
    const reply = await call('POST', path, body);
    expect(reply.headers.get('x-tools-left-out')).toBe('web_search, mcp');
    expect(reply.body.tools).toEqual([]);
  });

  it('names at most 32 omitted tools, however many a namespace contains', async () => {
    listens();
    const tools = Array.from({ length: 5000 }, (_, index) => ({ type: `kind_${index}` }));
    const reply = await call('POST', path, {
      model: 'svc-1',
      input: 'Hi',
      tools: [{ type: 'namespace', name: 'many', tools }],
    });
    expect(reply.headers.get('x-tools-left-out')?.split(', ')).toEqual(tools.slice(0, 32).map(({ type }) => type));
  });
});

describe('compaction', () => {
  it('summarizes a conversation into an item that replaces it', async () => {
    listens(() => ({ content: 'They like rivers.' }));
    const first = await create({ input: 'I like rivers' });
    const { status, body } = await call('POST', `${path}/compact`, {
      model: 'svc-1',
      previous_response_id: first.id,
      input: 'And lakes',
    });
    expect(status).toBe(200);
    expect(compactionViolations(body)).toEqual([]);
    expect(contents().slice(0, 3)).toEqual(['I like rivers', 'They like rivers.', 'And lakes']);
    await create({ input: [...body.output, { role: 'user', content: 'What do I like?' }] });
    expect(contents()).toEqual(['Summary of the conversation so far:\nThey like rivers.', 'What do I like?']);
  });

  it('requires a model', async () => {
    const { status, body } = await call('POST', `${path}/compact`, { input: 'Hi' });
    expect([status, body.error]).toMatchObject([400, { param: 'model', code: 'missing_required_parameter' }]);
  });

  it('requires a conversation', async () => {
    const { status, body } = await call('POST', `${path}/compact`, { model: 'svc-1' });
    const message = 'input is required without previous_response_id.';
    expect([status, body.error]).toMatchObject([400, { param: 'input', message }]);
  });
});

it('responses expire after 30 days, and are deleted with their account', async () => {
  listens();
  const { id } = await create({ input: 'one' });
  const person = await service.calls.person({ planRank: 4 });
  await create({ input: 'secret' }, 200, person.key);
  const rows = async () => (await rowsOf('responses')).filter(({ pk }) => pk === `account#${person.id}`).length;
  expect(await rows()).toBe(1);
  const { email, password, cookie } = person;
  const closed = await service.calls.call('POST', '/api/auth/delete-account', { cookie, body: { email, password } });
  expect(closed.status).toBe(200);
  await service.calls.post('/_local/clock', { advance: 'P31D' });
  expect((await call('GET', `${path}/${id}`)).status).toBe(404);
  await buildPurgeAccounts()();
  expect(await rows()).toBe(0);
  expect(services().clock.now()).toBeGreaterThan(Date.now());
});
