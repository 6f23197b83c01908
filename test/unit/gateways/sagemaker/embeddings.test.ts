import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { tei } from '#gateways/sagemaker/tei.ts';
import { lmi, vllm } from '#gateways/sagemaker/vllm.ts';

/** What goes over the wire: fields that are undefined do not. */
const sent = (body: unknown): unknown => JSON.parse(JSON.stringify(body));

describe('embeddings', () => {
  const texts = Array.from({ length: 70 }, (_, index) => `text ${index}`);
  const vectors = [
    [0.1, 0.2],
    [0.3, 0.4],
  ];

  it('are requested of vllm in OpenAI form, whose vectors may come in any order', () => {
    expect(sent(vllm.embeddings!.batches({ input: texts, dimensions: 8 }).map(({ body }) => body))).toEqual([
      { input: texts, dimensions: 8 },
    ]);
    const data = vectors.map((embedding, index) => ({ index, embedding })).toReversed();
    expect(vllm.embeddings!.reply({ data, usage: { prompt_tokens: 4 } })).toEqual({ vectors, promptTokens: 4 });
  });

  it('are requested of lmi as inputs', () => {
    expect(sent(lmi.embeddings!.batches({ input: texts, dimensions: 8 }).map(({ body }) => body))).toEqual([
      { inputs: texts },
    ]);
    expect(lmi.embeddings!.reply(vectors)).toEqual({ vectors });
  });

  it('are requested of tei as inputs, 32 at a time', () => {
    const bodies = sent(tei.embeddings!.batches({ input: texts, dimensions: 8 }).map(({ body }) => body)) as {
      inputs: string[];
    }[];
    expect(bodies.map(({ inputs }) => inputs.length)).toEqual([32, 32, 6]);
    expect(bodies.flatMap(({ inputs }) => inputs)).toEqual(texts);
    expect(bodies[2]).toEqual({ inputs: texts.slice(64), truncate: false, dimensions: 8 });
    expect(tei.embeddings!.reply(vectors)).toEqual({ vectors });
  });

  it.each([[{ data: vectors }], [[['a']]], [[[Number.NaN]]], ['no']])('that are none are refused: %j', (reply) => {
    expect(() => tei.embeddings!.reply(reply)).toThrow(v.ValiError);
  });
});
