import { type TextRequest, hasFunctions, isOwn, isStreamed } from '../code-request.ts';
import { javascriptLiteral } from '../literals.ts';
import { openAiBody } from './openai-body.ts';

/** OpenAI's SDK for Node; none for what its API does not have. */
export function openAiNodeCode(origin: string, request: TextRequest): string | undefined {
  if (isOwn(request)) return undefined;
  const body = request.kind === 'chat' ? openAiBody(request.body) : request.body;
  return `// npm install openai
import OpenAI from 'openai';

const client = new OpenAI({ baseURL: ${javascriptLiteral(`${origin}/openai/v1`)}, apiKey: process.env.API_KEY });

const ${isStreamed(request) ? 'stream' : 'response'} = await client.${methods[request.kind]}.create(${javascriptLiteral(body)});
${isStreamed(request) ? streamed(request) : whole(request)}`;
}

const methods = { chat: 'chat.completions', completion: 'completions', embeddings: 'embeddings' } as const;

function whole(request: TextRequest): string {
  if (request.kind === 'embeddings') return 'console.log(response.data.map(({ embedding }) => embedding));';
  if (request.kind === 'completion') return 'console.log(response.choices[0].text);';
  if (!hasFunctions(request)) return 'console.log(response.choices[0].message.content);';
  return `const { content, tool_calls: calls } = response.choices[0].message;
console.log(content ?? '', JSON.stringify(calls ?? []));`;
}

function streamed(request: TextRequest): string {
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
