import { type ChatBody, hasFunctions, isOwn, isStreamed, type OwnRequest, type TextRequest } from './code-request.ts';
import { CodeCall, javascriptLiteral, pythonLiteral } from './literals.ts';

/** The call in OpenAI's Node SDK, or undefined for an operation that OpenAI's API does not have. */
export function openAiNodeCode(origin: string, request: TextRequest): string | undefined {
  if (isOwn(request)) return undefined;
  const body = request.kind === 'chat' ? openAiBody(request.body) : request.body;
  return `${openAiNodeClient(origin)}

const ${isStreamed(request) ? 'stream' : 'response'} = await client.${methods[request.kind]}.create(${javascriptLiteral(body)});
${isStreamed(request) ? nodeStream(request) : nodeWhole(request)}`;
}

const methods = { chat: 'chat.completions', completion: 'completions', embeddings: 'embeddings' } as const;

export const openAiNodeClient = (origin: string, imports = ''): string => `// npm install openai
${imports}import OpenAI from 'openai';

const client = new OpenAI({ baseURL: ${javascriptLiteral(`${origin}/openai/v1`)}, apiKey: process.env.API_KEY });`;

function nodeWhole(request: TextRequest): string {
  if (request.kind === 'embeddings') return 'console.log(response.data.map(({ embedding }) => embedding));';
  if (request.kind === 'completion') return 'console.log(response.choices[0].text);';
  if (!hasFunctions(request)) return 'console.log(response.choices[0].message.content);';
  return `const { content, tool_calls: calls } = response.choices[0].message;
console.log(content ?? '', JSON.stringify(calls ?? []));`;
}

function nodeStream(request: TextRequest): string {
  if (request.kind === 'completion')
    return "for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.text ?? '');";
  if (!hasFunctions(request))
    return "for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '');";
  return `for await (const chunk of stream) {
  const { content, tool_calls: calls } = chunk.choices[0]?.delta ?? {};
  process.stdout.write(content ?? '');
  for (const { function: call } of calls ?? []) process.stdout.write((call?.name ?? '') + (call?.arguments ?? ''));
}`;
}

/** The call in OpenAI's Python SDK, or undefined for an operation that OpenAI's API does not have. */
export function openAiPythonCode(origin: string, request: TextRequest): string | undefined {
  if (isOwn(request)) return undefined;
  const { top_k, ...body }: object & { readonly top_k?: number | undefined } =
    request.kind === 'chat' ? openAiBody(request.body) : request.body;
  // The SDK rejects parameters that OpenAI's API does not have unless they are in `extra_body`.
  const parameters = { ...body, ...(top_k !== undefined && { extra_body: { top_k } }) };
  return `${openAiPythonClient(origin)}

${isStreamed(request) ? 'stream' : 'response'} = client.${methods[request.kind]}.create(
${pythonArguments(parameters, 1)}
)
${isStreamed(request) ? pythonStream(request) : pythonWhole(request)}`;
}

export const openAiPythonClient = (origin: string): string => `# pip install openai
import os

from openai import OpenAI

client = OpenAI(base_url=${pythonLiteral(`${origin}/openai/v1`)}, api_key=os.environ["API_KEY"])`;

/** Named arguments of a Python call, one per line. */
export const pythonArguments = (values: object, depth: number): string =>
  Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${'    '.repeat(depth)}${name}=${pythonLiteral(value, depth)},`)
    .join('\n');

function pythonWhole(request: TextRequest): string {
  if (request.kind === 'embeddings') return 'print([item.embedding for item in response.data])';
  if (request.kind === 'completion') return 'print(response.choices[0].text)';
  return hasFunctions(request) ? 'print(response.choices[0].message)' : 'print(response.choices[0].message.content)';
}

function pythonStream(request: TextRequest): string {
  const loop = 'for chunk in stream:\n    for choice in chunk.choices:\n';
  if (request.kind === 'completion') return `${loop}        print(choice.text, end="", flush=True)`;
  const content = `${loop}        print(choice.delta.content or "", end="", flush=True)`;
  if (!hasFunctions(request)) return content;
  return `${content}
        for call in choice.delta.tool_calls or []:
            print((call.function.name or "") + (call.function.arguments or ""), end="", flush=True)`;
}

/**
 * The call in the AI SDK with its provider for OpenAI-compatible services. Undefined for completions, which the SDK
 * would rewrite as a chat.
 */
export function aiSdkCode(origin: string, request: TextRequest): string | undefined {
  if (isOwn(request) || request.kind === 'completion') return undefined;
  const { imports, code } = aiCodeOf(request);
  return `// npm install ai @ai-sdk/openai-compatible
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ${imports.toSorted().join(', ')} } from 'ai';

const platform = createOpenAICompatible({
  name: 'platform',
  baseURL: ${javascriptLiteral(`${origin}/openai/v1`)},
  apiKey: process.env.API_KEY,
});

${code}`;
}

type AiCode = { readonly imports: readonly string[]; readonly code: string };

function aiCodeOf(request: Exclude<TextRequest, OwnRequest | { kind: 'completion' }>): AiCode {
  if (request.kind === 'embeddings') {
    const { model, input, dimensions } = request.body;
    const options = {
      model: new CodeCall('platform.embeddingModel', model),
      values: typeof input === 'string' ? [input] : input,
      ...(typeof dimensions === 'number' && { providerOptions: { platform: { dimensions } } }),
    };
    const code = `const { embeddings } = await embedMany(${javascriptLiteral(options)});\nconsole.log(embeddings);`;
    return { imports: ['embedMany'], code };
  }
  const options = chatOptions(request.body);
  const tools = hasFunctions(request) ? ['jsonSchema', 'tool'] : [];
  return isStreamed(request)
    ? { imports: ['streamText', ...tools], code: aiStream(options, tools.length > 0) }
    : { imports: ['generateText', ...tools], code: aiWhole(options, tools.length > 0) };
}

const aiWhole = (options: object, hasTools: boolean): string =>
  hasTools
    ? `const { text, toolCalls } = await generateText(${javascriptLiteral(options)});
console.log(text, toolCalls.map(({ toolName, input }) => ({ toolName, input })));`
    : `const { text } = await generateText(${javascriptLiteral(options)});\nconsole.log(text);`;

const aiStream = (options: object, hasTools: boolean): string => {
  const names = hasTools ? '{ textStream, toolCalls }' : '{ textStream }';
  const code = `const ${names} = streamText(${javascriptLiteral(options)});
for await (const text of textStream) process.stdout.write(text);`;
  if (!hasTools) return code;
  return `${code}\nconsole.log((await toolCalls).map(({ toolName, input }) => ({ toolName, input })));`;
};

function chatOptions({ model, messages, functions, ...body }: ChatBody): object {
  const system = messages.flatMap((message) => (message.role === 'system' ? [message.content] : []));
  const others = toolMessages(messages).filter((message) => message.kind !== 'text' || message.role !== 'system');
  return {
    model: new CodeCall('platform', model),
    ...(system.length > 0 && { instructions: system.join('\n') }),
    messages: others.map(aiMessage),
    ...aiSampling(body),
    ...(functions?.length && { tools: Object.fromEntries(functions.map(aiTool)) }),
  };
}

/** Maps parameters to the SDK's names. Parameters without one are passed to the provider. */
function aiSampling(body: Omit<ChatBody, 'model' | 'messages' | 'functions'>): object {
  return {
    maxOutputTokens: body.max_tokens,
    temperature: body.temperature,
    topP: body.top_p,
    frequencyPenalty: body.frequency_penalty,
    presencePenalty: body.presence_penalty,
    stopSequences: typeof body.stop === 'string' ? [body.stop] : (body.stop ?? undefined),
    ...(body.top_k !== undefined && { providerOptions: { platform: { top_k: body.top_k } } }),
  };
}

type Offered = NonNullable<ChatBody['functions']>[number];

const aiTool = ({ name, description, parameters }: Offered): [string, CodeCall] => {
  const inputSchema = new CodeCall('jsonSchema', parameters ?? { type: 'object', properties: {} });
  return [name, new CodeCall('tool', { description, inputSchema })];
};

function aiMessage(message: ToolMessage): object {
  if (message.kind === 'text') return { role: message.role, content: message.text };
  const { id: toolCallId, name: toolName } = message;
  if (message.kind === 'result') {
    const output = { type: 'text', value: message.text };
    return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] };
  }
  return {
    role: 'assistant',
    content: [
      ...(message.text === '' ? [] : [{ type: 'text', text: message.text }]),
      { type: 'tool-call', toolCallId, toolName, input: inputOf(message.arguments) },
    ],
  };
}

/** Parses the arguments of a call, which a model may write as invalid JSON. */
function inputOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Converts a chat request to OpenAI's format, in which functions are tools. */
export function openAiBody({ messages, functions, function_call: choice, ...parameters }: ChatBody) {
  return {
    ...parameters,
    messages: toolMessages(messages).map(openAiMessage),
    ...(functions?.length && { tools: functions.map((one) => ({ type: 'function', function: one })) }),
    ...(choice && choice !== 'auto' && { tool_choice: toolChoice(choice) }),
  };
}

const toolChoice = (choice: NonNullable<ChatBody['function_call']>) =>
  typeof choice === 'string' ? choice : { type: 'function', function: choice };

function openAiMessage(message: ToolMessage): object {
  if (message.kind === 'text') return { role: message.role, content: message.text };
  if (message.kind === 'result') return { role: 'tool', tool_call_id: message.id, content: message.text };
  const { id, name, arguments: text } = message;
  return {
    role: 'assistant',
    content: message.text === '' ? null : message.text,
    tool_calls: [{ id, type: 'function', function: { name, arguments: text } }],
  };
}

type Message = ChatBody['messages'][number];

/** A message in the format of SDKs, in which an id links a call and its result. */
type ToolMessage =
  | { readonly kind: 'text'; readonly role: 'system' | 'user' | 'assistant'; readonly text: string }
  | {
      readonly kind: 'call';
      readonly id: string;
      readonly name: string;
      readonly arguments: string;
      /** Text next to the call. */
      readonly text: string;
    }
  | { readonly kind: 'result'; readonly id: string; readonly name: string; readonly text: string };

/** Converts function calls to tool calls. A result belongs to the preceding call. */
const toolMessages = (messages: readonly Message[]): ToolMessage[] =>
  messages.map((message, index) => {
    if (message.role === 'function') {
      return { kind: 'result', id: `call_${index - 1}`, name: message.name, text: message.content };
    }
    const call = message.role === 'assistant' ? message.function_call : undefined;
    const text = message.content ?? '';
    if (call) return { kind: 'call', id: `call_${index}`, name: call.name, arguments: call.arguments, text };
    return { kind: 'text', role: message.role, text };
  });
