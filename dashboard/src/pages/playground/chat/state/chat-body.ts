import type { ChatBody } from '../../code/code-request.ts';
import { type Sampling, samplingBody } from '../../parameters/sampling.ts';
import { parseFunctions } from '../functions/parse-functions.ts';
import type { ChatMessage } from './chat-item.ts';
import type { Items } from './thread.ts';

interface ChatParameters {
  readonly sampling: Sampling;
  readonly system: string;
  /** As JSON text. */
  readonly functions: string;
}

/** The request for the next response of a conversation. */
export function chatBody({ sampling, system, functions }: ChatParameters, items: Items): ChatBody {
  const { list } = parseFunctions(functions);
  return {
    ...samplingBody(sampling),
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system } satisfies ChatMessage]),
      ...items.map((item) => item.message),
    ],
    ...(list.length > 0 && { functions: list, function_call: 'auto' as const }),
  };
}
