import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventViolations } from '#test/contract/open-responses.ts';
import { removeFolder, testFolder } from '#test/folder.ts';
import { exampleOffer, startOffered } from '#test/service/offered-service.ts';

/** The shape of a turn of Codex 0.171 with `wire_api = "responses"`: about 40 KB. */
let folder = '';
let service: Awaited<ReturnType<typeof startOffered>>;
beforeAll(async () => {
  folder = await testFolder();
  const offer = await exampleOffer();
  const model = offer['models'].find(({ id }: { id: string }) => id === 'acme-small');
  model.endpoints = [{ kind: 'sagemaker', endpoint: 'small', family: 'vllm' }];
  service = await startOffered(offer, folder);
}, 60_000);
afterAll(async () => {
  await service.stop();
  await removeFolder(folder);
});

const message = (id: string, role: string, text: string) => ({
  type: 'message',
  id: `msg_${id}`,
  role,
  content: [{ type: 'input_text', text }],
});

const fn = (name: string, properties: object = { command: { type: 'array', items: { type: 'string' } } }) => ({
  type: 'function',
  name,
  description: `Runs ${name}. `.repeat(60),
  strict: false,
  parameters: { type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
});

const tools = [
  ...['exec_command', 'write_stdin', 'update_plan', 'view_image', 'list_agents', 'spawn_agent', 'wait_agent'].map(
    (name) => fn(name),
  ),
  {
    type: 'namespace',
    name: 'weather_service',
    description: 'The weather',
    tools: [fn('get_weather', { city: { type: 'string' } })],
  },
  { type: 'web_search', external_web_access: false },
];

const rules = 'You are a coding agent. Be precise, safe and helpful. '.repeat(300);

const turn = (input: readonly object[]) => ({
  model: 'acme-small',
  input,
  tools,
  tool_choice: 'auto',
  parallel_tool_calls: true,
  reasoning: { summary: 'auto' },
  store: false,
  stream: true,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: '019-thread',
  client_metadata: { 'x-codex-installation-id': 'i' },
});

async function send(body: object) {
  const response = await fetch(`${service.origin}/openai/v1/responses`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.key}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
      'session-id': '019-session',
      'thread-id': '019-thread',
      'x-client-request-id': '019-request',
      originator: 'codex_cli_rs',
    },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('x-tools-left-out')).toBe('web_search');
  const parts = (await response.text()).split('\n\n').filter(Boolean);
  expect(parts.at(-1)).toBe('data: [DONE]');
  const events: any[] = parts.slice(0, -1).map((part) => JSON.parse(part.replace(/^event: \S+\ndata: /, '')));
  expect(events.flatMap(eventViolations)).toEqual([]);
  const last = events.at(-1);
  expect(last).toMatchObject({
    type: 'response.completed',
    response: { store: false, usage: { total_tokens: expect.any(Number) } },
  });
  return { items: events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item), last };
}

it('Codex completes two turns with a function call between them', async () => {
  const history: object[] = [
    message('1', 'developer', rules),
    message('2', 'developer', 'The sandbox is read-only. '.repeat(20)),
    message('3', 'user', 'What is the weather in Paris?'),
  ];
  const body = turn(history);
  expect(JSON.stringify(body).length).toBeGreaterThan(25_000);
  const first = await send(body);
  const [called] = first.items;
  expect(called).toMatchObject({
    type: 'function_call',
    name: 'get_weather',
    namespace: 'weather_service',
    arguments: '{"city":"Paris"}',
    status: 'completed',
  });
  const output = { type: 'function_call_output', id: 'fco_1', call_id: called.call_id, output: '{"sky":"clear"}' };
  const second = await send(turn([...history, called, output]));
  expect(second.items).toMatchObject([
    { type: 'message', content: [{ text: expect.stringContaining('sky is clear') }] },
  ]);
  const { status } = await service.call('GET', `/openai/v1/responses/${second.last.response.id}`);
  expect(status).toBe(404);
});
