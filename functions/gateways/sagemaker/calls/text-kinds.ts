import * as v from 'valibot';
import type { ModelChatReply, ModelChatRequest } from '#domain/inference/chat/chat.ts';
import type { ModelCompletionReply, ModelCompletionRequest } from '#domain/inference/completion/completion.ts';
import type { ModelChunk } from '#domain/inference/streams/model-stream.ts';
import { cutAtStop } from '#domain/inference/streams/stop-sequences.ts';
import { refuseEmpty, refuseFailed } from '../containers/container-failure.ts';
import type { Container, TextDialect } from '../containers/container.ts';

/** One of the two requests for text. */
export interface TextKind<Request, Reply> {
  readonly dialectOf: (container: Container) => TextDialect<Request, Reply> | undefined;
  /** The reply up to the first stop sequence; throws MODEL_ERROR where the model has failed or generated nothing. */
  readonly checked: (reply: Reply, request: Request) => Reply;
  /** A whole reply as the one chunk of a stream; throws MODEL_ERROR if the model generated nothing. */
  readonly chunk: (reply: Reply) => ModelChunk;
}

export const chatKind: TextKind<ModelChatRequest, ModelChatReply> = {
  dialectOf: ({ chat }) => chat,
  checked(reply, request) {
    refuseEmpty(reply);
    const stops = stopsOf(request);
    const choices = reply.choices.map((choice) => {
      refuseFailed(choice);
      const { text, stopped } = cutAtStop(choice.message.content ?? '', stops);
      return stopped ? { ...choice, message: { ...choice.message, content: text }, finish_reason: 'stop' } : choice;
    });
    return { ...reply, choices };
  },
  chunk(reply) {
    refuseEmpty(reply);
    const choices = reply.choices.map(({ message, finish_reason: reason }) => ({
      delta: message,
      finish_reason: reason || 'stop',
    }));
    return { choices, usage: reply.usage };
  },
};

export const completionKind: TextKind<ModelCompletionRequest, ModelCompletionReply> = {
  dialectOf: ({ completion }) => completion,
  checked(reply, request) {
    refuseEmpty(reply);
    const stops = stopsOf(request);
    const choices = reply.choices.map((choice) => {
      refuseFailed(choice);
      const { text, stopped } = cutAtStop(choice.text, stops);
      return stopped ? { ...choice, text, finish_reason: 'stop' } : choice;
    });
    return { ...reply, choices };
  },
  chunk(reply) {
    refuseEmpty(reply);
    const choices = reply.choices.map(({ text, finish_reason: reason }) => ({ text, finish_reason: reason || 'stop' }));
    return { choices, usage: reply.usage };
  },
};

const Stops = v.fallback(
  v.union([
    v.array(v.string()),
    v.pipe(
      v.string(),
      v.transform((stop) => [stop]),
    ),
  ]),
  [],
);

/** They are sent to the container too, so that it need not go on; that it obeys is not relied on. */
export const stopsOf = ({ stop }: Readonly<Record<string, unknown>>): string[] =>
  stop === undefined ? [] : v.parse(Stops, stop);
