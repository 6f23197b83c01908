import type { Model } from '#contract/inference/models.ts';
import type { ModelChatRequest } from '../inference/chat.ts';
import type { ModelGateway } from '../inference/model-gateway.ts';
import { inOrder, templateTokens, withoutCallersFault } from '../inference/part-calls.ts';
import { ServiceError } from '../shared/service-error.ts';
import { mergeReplies } from './merge.ts';
import { partsOf } from './parts.ts';
import { instructionFor, messageFor, reminder } from './prompt.ts';
import { analysisIn, type PartReply } from './reply.ts';
import { responseFormat } from './schema.ts';
import type { AnalysisTask, TextAnalyzer } from './text-analyzer.ts';
import type { Weighted } from './weighted.ts';

/** Bytes of the smallest part, and tokens of its reply, where labels of 20 times 64 characters leave hardly any room. */
const [minPartBytes, minReplyTokens] = [512, 768];

/** A chat model that analyses by a JSON schema (docs/design/inference.md#text-analysis). */
export function chatAnalyzer(gateway: Pick<ModelGateway, 'chat'>, model: Model): TextAnalyzer {
  return {
    call(task) {
      const partBytes = maxPartBytes(task, model);
      const isOnePart = Buffer.byteLength(task.text) <= partBytes;
      const whole = isOnePart ? gateway.chat(model.id, requestFor(task.text, task, model)) : undefined;
      const ofPart = async (part: string, signal?: AbortSignal): Promise<Weighted<PartReply>> => {
        const first = whole ?? gateway.chat(model.id, requestFor(part, task, model));
        const value =
          analysisIn(await first.send(signal), task) ??
          analysisIn(await gateway.chat(model.id, secondRequestFor(part, task, model)).send(signal), task);
        if (value) return { value, weight: part.length };
        throw new ServiceError('MODEL_ERROR', `The model ${model.id} did not return an analysis of the text.`);
      };
      return {
        prepare: () => whole?.prepare(),
        async send(signal) {
          const parts = partsOf(task.text, partBytes);
          const failed = new AbortController();
          const given = signal ? [signal, failed.signal] : [failed.signal];
          try {
            const replies = await inOrder(parts, (part) => ofPart(part.text, AbortSignal.any(given)));
            return mergeReplies(task.text, replies);
          } catch (error) {
            failed.abort();
            throw withoutCallersFault(error, model.id);
          }
        },
      };
    },
  };
}

/** A reply may quote a part twice over: for names, for phrases and for personal data, in JSON. */
function maxPartBytes(task: AnalysisTask, model: Model): number {
  return Math.max(Math.floor(roomFor(task, model) / 3), minPartBytes);
}

/** Tokens of a text and its reply. A text of n bytes is at most n tokens; our own English is at most half as many. */
function roomFor(task: AnalysisTask, { contextWindow }: Model): number {
  const instruction = Math.ceil(Buffer.byteLength(instructionFor(task) + reminder) / 2);
  return contextWindow - templateTokens - instruction - Buffer.byteLength(messageFor('', task));
}

function requestFor(
  part: string,
  task: AnalysisTask,
  model: Model,
  instruction = instructionFor(task),
): ModelChatRequest {
  return {
    messages: [
      { role: 'system', content: instruction },
      { role: 'user', content: messageFor(part, task) },
    ],
    max_tokens: Math.max(roomFor(task, model) - Buffer.byteLength(part), minReplyTokens),
    temperature: 0,
    response_format: responseFormat(task),
  };
}

/** With a reminder, where all templates take instructions; what comes out at a temperature of 0 would come out again. */
const secondRequestFor = (part: string, task: AnalysisTask, model: Model): ModelChatRequest => ({
  ...requestFor(part, task, model, `${instructionFor(task)}\n${reminder}`),
  temperature: 0.5,
});
