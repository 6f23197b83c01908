import { bpeTokenizer } from '#gateways/tokenizer.ts';
import type { Engine } from '#local/sagemaker/engine.ts';

export interface SentRequest {
  readonly messages: readonly {
    readonly role: string;
    readonly content: string | null;
    readonly name?: string;
    readonly tool_calls?: readonly { readonly function: { readonly name: string; readonly arguments: string } }[];
  }[];
  readonly tools?: readonly { readonly function: object }[];
  readonly max_tokens: number;
}

/** The reply of the model: text, or a function call. */
export type ModelReply = string | { readonly call: string; readonly arguments?: string };

const dimensions = 1536;

/** Texts that share words point in similar directions. */
function embedding(text: string): number[] {
  const vector = Array.from({ length: dimensions }, () => 0);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? ['none']) {
    let at = 7;
    for (const letter of word) at = (at * 31 + letter.charCodeAt(0)) % dimensions;
    vector[at] = (vector[at] ?? 0) + 1;
  }
  return vector;
}

/**
 * A scripted model for an agent: `reply` handles messages, `summary` handles requests for a summary. `sent` records
 * the requests.
 */
export function agentModel(reply: (request: SentRequest) => ModelReply, summary: () => string = () => 'A summary.') {
  const sent: SentRequest[] = [];
  let summaries = 0;
  const engine: Engine = {
    async invoke(body) {
      const request = body as SentRequest & { readonly input?: string | readonly string[] };
      if (request.input !== undefined) {
        const data = [request.input].flat().map((text, index) => ({ index, embedding: embedding(text) }));
        return { kind: 'json', status: 200, body: { object: 'list', data, usage: { prompt_tokens: data.length } } };
      }
      const isSummary = request.messages[0]?.content?.includes('Summarize all of it') ?? false;
      if (isSummary) summaries += 1;
      else sent.push(request);
      const made = isSummary ? summary() : reply(request);
      const message =
        typeof made === 'string'
          ? { role: 'assistant', content: made }
          : {
              role: 'assistant',
              content: null,
              tool_calls: [
                { id: 'c', type: 'function', function: { name: made.call, arguments: made.arguments ?? '{}' } },
              ],
            };
      return { kind: 'json', status: 200, body: { choices: [{ index: 0, message, finish_reason: 'stop' }] } };
    },
  };
  return { engine, sent, summaries: () => summaries };
}

/** Tokens of a request by the rules of docs/agents.md, computed from the request alone. */
export async function tokensOfRequest({ messages, tools }: SentRequest): Promise<number> {
  let tokens = 3;
  for (const { content, name, tool_calls: calls = [] } of messages) {
    tokens += 4;
    for (const text of [content, name, ...calls.map((call) => call.function.name + call.function.arguments)])
      if (text) tokens += await bpeTokenizer.count(text);
  }
  if (tools?.length) tokens += await bpeTokenizer.count(JSON.stringify(tools.map((tool) => tool.function)));
  return tokens;
}

/** Number of calls not followed by a result, and of results not preceded by a call. */
export function partedCalls({ messages }: SentRequest): number {
  return messages.filter(({ role, tool_calls: calls }, at) => {
    if (role === 'tool') return !messages[at - 1]?.tool_calls;
    return calls !== undefined && messages[at + 1]?.role !== 'tool';
  }).length;
}
