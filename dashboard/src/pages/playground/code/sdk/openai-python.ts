import { type TextRequest, hasFunctions, isOwn, isStreamed } from '../code-request.ts';
import { pythonLiteral } from '../literals.ts';
import { openAiBody } from './openai-body.ts';

/** OpenAI's SDK for Python; none for what its API does not have. */
export function openAiPythonCode(origin: string, request: TextRequest): string | undefined {
  if (isOwn(request)) return undefined;
  const body = request.kind === 'chat' ? openAiBody(request.body) : request.body;
  return `# pip install openai
import os

from openai import OpenAI

client = OpenAI(base_url=${pythonLiteral(`${origin}/openai/v1`)}, api_key=os.environ["API_KEY"])

${isStreamed(request) ? 'stream' : 'response'} = client.${methods[request.kind]}.create(
${parameters(body)}
)
${isStreamed(request) ? streamed(request) : whole(request)}`;
}

const methods = { chat: 'chat.completions', completion: 'completions', embeddings: 'embeddings' } as const;

/** The SDK takes no parameters that OpenAI's API does not have, but for those in `extra_body`. */
function parameters({ top_k, ...body }: object & { readonly top_k?: number | undefined }): string {
  const all = { ...body, ...(top_k !== undefined && { extra_body: { top_k } }) };
  return Object.entries(all)
    .map(([name, value]) => `    ${name}=${pythonLiteral(value, 1)},`)
    .join('\n');
}

function whole(request: TextRequest): string {
  if (request.kind === 'embeddings') return 'print([item.embedding for item in response.data])';
  if (request.kind === 'completion') return 'print(response.choices[0].text)';
  return hasFunctions(request) ? 'print(response.choices[0].message)' : 'print(response.choices[0].message.content)';
}

function streamed(request: TextRequest): string {
  const loop = 'for chunk in stream:\n    for choice in chunk.choices:\n';
  if (request.kind === 'completion') return `${loop}        print(choice.text, end="", flush=True)`;
  const content = `${loop}        print(choice.delta.content or "", end="", flush=True)`;
  if (!hasFunctions(request)) return content;
  return `${content}
        for call in choice.delta.tool_calls or []:
            print((call.function.name or "") + (call.function.arguments or ""), end="", flush=True)`;
}
