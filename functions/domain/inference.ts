import type { ChatCompletion, ChatRequest } from '#contract/inference.ts';
import { type ModelChatReply, type ModelChatRequest, outputRoom, toChatCompletion, toModelRequest } from './chat.ts';
import type { Clock, Tokenizer } from './ports.ts';
import { fixedPrice } from './pricing.ts';

/** The models behind the service. Failures are ServiceErrors: MODEL_ERROR, MODEL_TIMEOUT, SERVICE_UNAVAILABLE. */
export interface ModelGateway {
  /** `signal` ends the wait earlier than the gateway's own deadline; that is a MODEL_TIMEOUT too. */
  chat(model: string, request: ModelChatRequest, signal?: AbortSignal): Promise<ModelChatReply>;
}

/** A chat call ready to be admitted and sent. `amount` in microcredits. */
export interface ChatOrder {
  readonly model: string;
  readonly amount: number;
  readonly request: ModelChatRequest;
}

export function inference(gateway: ModelGateway, tokenizer: Tokenizer, clock: Clock) {
  /** Refuses (400) a conversation that its model's context cannot hold. */
  async function orderChat(request: ChatRequest): Promise<ChatOrder> {
    const maxTokens = await outputRoom(request, tokenizer);
    return { model: request.model, amount: fixedPrice('chat'), request: toModelRequest(request, maxTokens) };
  }

  /** `requestId` becomes part of the answer's id. */
  async function chat({ model, request }: ChatOrder, requestId: string): Promise<ChatCompletion> {
    const created = Math.floor(clock.now() / 1000);
    return toChatCompletion(await gateway.chat(model, request), { id: `chatcmpl-${requestId}`, created, model });
  }

  return { orderChat, chat };
}
