import type { EmbeddingsRequest } from '#contract/inference/requests.ts';
import type { ChatFormat } from './chat/chat-response.ts';
import type { ModelChatReply, ModelChatRequest } from './chat/chat.ts';
import type { CompletionFormat, ModelCompletionReply, ModelCompletionRequest } from './completion/completion.ts';
import type { ModelEmbeddingsRequest } from './embeddings.ts';
import type { ModelCall, ModelStream } from './model-gateway.ts';
import type { Order } from './order.ts';

/** An order with the request that its model is to be sent. */
interface ModelOrder<Request> extends Order {
  readonly request: Request;
}

/** An order of text, and how the response is to look. */
interface TextOrder<Request, Format> extends ModelOrder<Request> {
  readonly format: Format;
}

/** The call of a model that responds when all is generated. */
export interface WholeCall<Reply> {
  readonly stream: false;
  readonly call: ModelCall<Promise<Reply>>;
}

/** The call of a model that streams. */
export interface StreamedCall {
  readonly stream: true;
  readonly call: ModelCall<ModelStream>;
}

type ChatParts<Body> = TextOrder<ModelChatRequest, ChatFormat<Body>> & {
  /** Names of the functions that the model may call. */
  readonly offered: ReadonlySet<string>;
};
export type WholeChatOrder<Body> = ChatParts<Body> & WholeCall<ModelChatReply>;
export type StreamedChatOrder = ChatParts<unknown> & StreamedCall;
export type ChatOrder<Body> = ChatParts<Body> & (WholeCall<ModelChatReply> | StreamedCall);

type CompletionParts<Body> = TextOrder<ModelCompletionRequest, CompletionFormat<Body>>;
export type WholeCompletionOrder<Body> = CompletionParts<Body> & WholeCall<ModelCompletionReply>;
export type StreamedCompletionOrder = CompletionParts<unknown> & StreamedCall;
export type CompletionOrder<Body> = CompletionParts<Body> & (WholeCall<ModelCompletionReply> | StreamedCall);

export type EmbeddingsOrder = ModelOrder<ModelEmbeddingsRequest> & { readonly input: EmbeddingsRequest };
