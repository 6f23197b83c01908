import type Anthropic from '@anthropic-ai/sdk';

/** Headers of Claude Code. */
export const claudeCodeHeaders = {
  'content-type': 'application/json',
  accept: 'application/json',
  'anthropic-version': '2023-06-01',
  'anthropic-beta':
    'claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27,prompt-caching-scope-2026-01-05,effort-2025-11-24,fine-grained-tool-streaming-2025-05-14,made-up-2030-01-01',
  'x-app': 'cli',
  'user-agent': 'claude-cli/2.1.0 (external, cli)',
};

const prose = (bytes: number, subject: string): string => {
  const sentence = `Use ${subject} for the task at hand, prefer the dedicated tool, and quote paths that contain spaces. `;
  return sentence
    .repeat(Math.ceil(bytes / sentence.length))
    .slice(0, bytes)
    .trim();
};

const cached = { cache_control: { type: 'ephemeral' as const } };
const text = (content: string, more: object = {}) => ({ type: 'text' as const, text: content, ...more });

/** Every keyword that its schemas use. */
const schemaOf = (index: number): Anthropic.Tool.InputSchema => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    command: { type: 'string', description: prose(400, `argument ${index}`), minLength: 1 },
    timeout: { type: 'number', exclusiveMinimum: 0, maximum: 600_000 },
    mode: { anyOf: [{ type: 'string', const: 'content' }, { type: 'string', const: 'count' }, { type: 'null' }] },
    url: { type: 'string', format: 'uri' },
    answers: { type: 'object', propertyNames: { type: 'string' }, additionalProperties: { type: 'string' } },
    edits: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        properties: { old: { type: 'string' }, all: { type: 'boolean', default: false } },
        required: ['old'],
        additionalProperties: false,
      },
    },
  },
  required: ['command'],
  additionalProperties: false,
});

const names =
  'Bash Task Glob Grep Read Edit Write NotebookEdit WebFetch WebSearch TodoWrite AskUserQuestion Skill EnterPlanMode ExitPlanMode TaskOutput TaskStop LSP ToolSearch CronCreate CronDelete CronList Monitor SendMessage';

const tools = names.split(' ').map((name, index) => ({
  name,
  description: prose(1450, `the tool ${name}`),
  input_schema: schemaOf(index),
}));

/** The beginning of a conversation. A message of role `system` is between the others. */
const opening = [
  {
    role: 'user' as const,
    content: [
      text(`<system-reminder>\n${prose(1500, 'the project notes')}\n</system-reminder>`),
      text('Which files are here?', cached),
    ],
  },
  { role: 'system' as const, content: 'The following deferred tools are available: none.' },
  { role: 'user' as const, content: [text('List them by name.', cached)] },
];

/**
 * A request of about 77 KB, of which 24 tools are 60 KB, in the form that Claude Code 2.1 sends
 * (`POST {base}/v1/messages?beta=true`). `more` continues the conversation.
 */
export const claudeCodeRequest = (model: string, more: readonly object[] = []) => ({
  model,
  messages: [...opening, ...more],
  system: [
    text('x-anthropic-billing-header: cc_version=2.1.0; cc_entrypoint=cli;'),
    text("You are Claude Code, Anthropic's official CLI for Claude.", cached),
    text(prose(13_000, 'the instructions'), cached),
  ],
  tools,
  metadata: { user_id: '{"device_id":"d","session_id":"s"}' },
  max_tokens: 32_000,
  thinking: { type: 'adaptive' },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  output_config: { effort: 'high' },
  stream: true,
});

/** The next turn: the response's blocks, and the result of its tool call. */
export const claudeCodeResult = (content: readonly object[], toolUseId: string, result: string) => [
  { role: 'assistant', content },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: toolUseId, content: [text(result)], is_error: false, ...cached },
      text('<system-reminder>\nThe task list is empty.\n</system-reminder>'),
    ],
  },
];
