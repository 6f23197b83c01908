import { pieces, type ScriptedService, textReader, tokensOf } from '../service/scripted-service.ts';

export const prompt = 'The tide comes in twice a day. '.repeat(20);
export const maxTokens = 40;
export const output = pieces.join('');
export const messages = [{ role: 'user', content: prompt }];

export const paths = {
  completions: ['/v1/completions', '/openai/v1/completions'],
  chats: ['/v1/chat/completions', '/openai/v1/chat/completions'],
  embeddings: ['/v1/embeddings', '/openai/v1/embeddings'],
} as const;

/** Microcredits per token of a completion. */
export const perToken = 1000;
export const countedCost = async (text: string): Promise<number> =>
  text === '' ? 0 : ((await tokensOf(prompt)) + (await tokensOf(text))) * perToken;

/** All possible endings of a stream, with the expected cost. */
export function endingsOf(service: () => ScriptedService) {
  const hangs = (): Promise<unknown> => service().model.ended();

  /** Requests a stream, and disconnects after its pieces if that is the ending. */
  async function endedSo(path: string, body: object, leaves: true | undefined): Promise<number> {
    return service().charged(async () => {
      const leaving = new AbortController();
      const reply = await service().open(path, { ...body, max_tokens: maxTokens, stream: true }, leaving.signal);
      const read = textReader(reply);
      await read((text) => leaves !== undefined && text.includes(pieces.at(-1)!));
      leaving.abort();
    });
  }

  return { hangs, endedSo };
}
