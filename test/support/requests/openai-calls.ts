import { services } from '#runtime/services/container.ts';
import type { Person, TestService } from '../service/service.ts';

export const chats = '/openai/v1/chat/completions';
export const prompt = { model: 'svc-instruct', prompt: 'Once upon a time', max_tokens: 8 };
export const texts = { model: 'svc-embed', input: ['a cat', 'a dog'], dimensions: 4 };
export const error = (message: unknown, type: string, param: string | null, code: string | null) => ({
  error: { message, type, param, code },
});

/** Requests to `/openai/v1`, and their charges. */
export function openAiCalls(service: TestService, person: Person) {
  async function send(path: string, body?: unknown, headers: Record<string, string> = {}, method = 'POST') {
    const reply = await fetch(service.origin + path, {
      method,
      headers: { authorization: `Bearer ${person.key}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await reply.text();
    const json = () => JSON.parse(text);
    return { status: reply.status, headers: reply.headers, text, json };
  }
  const spendable = async () => (await services().metering().find(person.id))?.spendable ?? 0;

  return { send, spendable };
}
