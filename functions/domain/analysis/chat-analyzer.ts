import type { Model } from '#contract/inference/models.ts';
import type { ModelChatRequest } from '../inference/chat/chat.ts';
import type { ModelGateway } from '../inference/model-gateway.ts';
import type { Proof } from '../inference/tokens.ts';
import { inOrder, withParts } from '../inference/translation/part-calls.ts';
import type { Tokenizer } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import { mergeReplies } from './merge.ts';
import { type SizedPart, sizedParts } from './parts/sized-parts.ts';
import type { Weighted } from './parts/weighted.ts';
import { type AnalysisWindow, countedWindow, minPartTokens, uncountedWindow } from './parts/window.ts';
import { instructionFor, messageFor, reminder } from './prompt.ts';
import { analysisIn, isFull, type PartReply } from './reply.ts';
import { responseFormat } from './schema.ts';
import type { AnalysisTask, TextAnalyzer } from './text-analyzer.ts';

type Gateway = Pick<ModelGateway, 'chat'>;
type Call = ReturnType<Gateway['chat']>;

/** What the model made of a part; without a value where the reply was no analysis, or where its list of personal data was full. */
interface Attempt {
  readonly part: SizedPart;
  readonly value: PartReply | undefined;
  readonly wasCut: boolean;
}

export interface ChatAnalyzer extends TextAnalyzer {
  /** Refuses (400) labels that leave a text no room in the model's window. */
  requireRoom(task: AnalysisTask, prove: Proof): Promise<void>;
}

/** A chat model that analyses by a JSON schema (docs/design/inference.md#text-analysis). */
export function chatAnalyzer(gateway: Gateway, model: Model, tokenizer: Tokenizer): ChatAnalyzer {
  return {
    async requireRoom(task, prove) {
      if (uncountedWindow(task, model).partTokens >= minPartTokens) return;
      await prove();
      const { partTokens } = await countedWindow(task, model, tokenizer);
      if (partTokens >= minPartTokens) return;
      const detail = `labels must leave room for the text in the ${model.contextWindow} tokens of ${model.id}: send fewer or shorter ones.`;
      throw new ServiceError('INVALID_FORMAT', detail);
    },
    call(task) {
      const short = shortCall(gateway, model, task);
      const callOf = (part: SizedPart, window: AnalysisWindow, isSecond: boolean): Call =>
        gateway.chat(model.id, requestFor(part, window, task, isSecond));
      const attempt = async (part: SizedPart, call: Call, signal: AbortSignal): Promise<Attempt> => {
        const reply = await call.send(signal);
        const value = analysisIn(reply, task);
        if (value && isFull(value)) return { part, value: undefined, wasCut: true };
        return { part, value, wasCut: reply.choices[0]?.finish_reason === 'length' };
      };
      return {
        prepare: () => short?.call.prepare(),
        send: (signal) =>
          withParts(signal, async (either) => {
            const window = short?.window ?? (await countedWindow(task, model, tokenizer));
            const parts = short ? [short.part] : await sizedParts(task.text, window.partTokens, tokenizer);
            const first = await inOrder(parts, (part) =>
              attempt(part, short?.call ?? callOf(part, window, false), either),
            );
            const again = await inOrder(first, ({ part, value, wasCut }) => {
              if (value) return [];
              return wasCut ? sizedParts(part.text, window.smallPartTokens, tokenizer) : [part];
            });
            const second = await inOrder(again.flat(), (part) => attempt(part, callOf(part, window, true), either));
            if (!second.every(({ value }) => value)) throw noAnalysis();
            return mergeReplies(task.text, [...first, ...second].flatMap(weighted));
          }),
      };
    },
  };
}

/** The call of a text whose bytes fit as they are, so that nothing needs to be counted. */
function shortCall(gateway: Gateway, model: Model, task: AnalysisTask) {
  const window = uncountedWindow(task, model);
  const part = { text: task.text, tokens: Buffer.byteLength(task.text) };
  if (part.tokens > window.partTokens) return undefined;
  return { window, part, call: gateway.chat(model.id, requestFor(part, window, task, false)) };
}

const weighted = ({ part, value }: Attempt): Weighted<PartReply>[] =>
  value ? [{ value, weight: part.text.length }] : [];

const noAnalysis = (): ServiceError =>
  new ServiceError('MODEL_ERROR', 'The model did not return an analysis of the text.');

/** The second one has a reminder, where all templates take instructions; what comes out at a temperature of 0 would come out again. */
function requestFor(part: SizedPart, window: AnalysisWindow, task: AnalysisTask, isSecond: boolean): ModelChatRequest {
  const instruction = instructionFor(task);
  return {
    messages: [
      { role: 'system', content: isSecond ? `${instruction}\n${reminder}` : instruction },
      { role: 'user', content: messageFor(part.text, task) },
    ],
    max_tokens: window.replyTokens(part),
    temperature: isSecond ? 0.5 : 0,
    response_format: responseFormat(task),
  };
}
