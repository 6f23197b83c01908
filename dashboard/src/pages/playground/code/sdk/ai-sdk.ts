import { type ChatBody, type TextRequest, hasFunctions, isOwn, isStreamed, type OwnRequest } from '../code-request.ts';
import { CodeCall, javascriptLiteral } from '../literals.ts';
import { type ToolMessage, toolMessages } from './tool-messages.ts';

/** The AI SDK with its provider for OpenAI-compatible services; none for completions, whose prompt it rewrites to a chat. */
export function aiSdkCode(origin: string, request: TextRequest): string | undefined {
  if (isOwn(request) || request.kind === 'completion') return undefined;
  const { imports, code } = partsOf(request);
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

type Parts = { readonly imports: readonly string[]; readonly code: string };

function partsOf(request: Exclude<TextRequest, OwnRequest | { kind: 'completion' }>): Parts {
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
    ? { imports: ['streamText', ...tools], code: streamed(options, tools.length > 0) }
    : { imports: ['generateText', ...tools], code: whole(options, tools.length > 0) };
}

const whole = (options: object, hasTools: boolean): string =>
  hasTools
    ? `const { text, toolCalls } = await generateText(${javascriptLiteral(options)});
console.log(text, toolCalls.map(({ toolName, input }) => ({ toolName, input })));`
    : `const { text } = await generateText(${javascriptLiteral(options)});\nconsole.log(text);`;

const streamed = (options: object, hasTools: boolean): string => {
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
    ...sampling(body),
    ...(functions?.length && { tools: Object.fromEntries(functions.map(aiTool)) }),
  };
}

/** The SDK's names; what it has no name for goes to the provider as it is. */
function sampling(body: Omit<ChatBody, 'model' | 'messages' | 'functions'>): object {
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

/** Arguments are JSON by the model's word; what is none is passed on as it is. */
function inputOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
