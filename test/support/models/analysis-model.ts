import type { AnalysisRequest } from '#contract/analysis/analysis.ts';
import { findModel } from '#contract/inference/models.ts';
import { analysisService, type Encoder } from '#domain/analysis/analysis.ts';
import { chatAnalyzer } from '#domain/analysis/chat-analyzer.ts';
import type { ModelChatReply, ModelChatRequest } from '#domain/inference/chat.ts';
import type { Proof } from '#domain/inference/order.ts';
import { loadPhoneNumbers } from '#gateways/phone-numbers.ts';
import { bpeTokenizer } from '#gateways/tokenizer.ts';

/** The reply of a chat model to a request. */
export type Replies = (request: ModelChatRequest, signal?: AbortSignal) => ModelChatReply | Promise<ModelChatReply>;

export const reply = (content: unknown, finish_reason = 'stop'): ModelChatReply => ({
  choices: [{ message: { content: typeof content === 'string' ? content : JSON.stringify(content) }, finish_reason }],
  usage: { prompt_tokens: 1, completion_tokens: 1 },
});

export const model = findModel('svc-instruct', 'chat')!;

/** The text of a request, between its two markers. */
export function textOf({ messages }: ModelChatRequest): string {
  const content = String(messages[1]?.['content']);
  return /(?:^|\n)([\da-f]{32})\n([^]*)\n\1$/.exec(content)?.[2] ?? '';
}

/** Analyses with a scripted chat model that records its requests. */
export function analysisBy(
  replies: Replies,
  encoders: readonly Encoder[] = [],
  deadline = new AbortController().signal,
) {
  const requests: ModelChatRequest[] = [];
  const gateway = {
    chat: (_: string, request: ModelChatRequest) => ({
      prepare: () => undefined,
      async send(signal?: AbortSignal) {
        requests.push(request);
        return replies(request, signal);
      },
    }),
  };
  const chat = chatAnalyzer(gateway, model, bpeTokenizer);
  const service = analysisService({ model, chat, encoders, newDeadline: () => deadline, loadPhoneNumbers });
  type Request = Partial<AnalysisRequest> & Pick<AnalysisRequest, 'text' | 'analyses'>;
  const order = (request: Request, prove: Proof) => service.order({ offsetUnit: 'code_point', ...request }, prove);
  const analyze = async (request: Request) => service.analyze(await order(request, async () => undefined));
  return { requests, order, analyze };
}
