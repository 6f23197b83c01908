import { beforeAll, describe, expect, it } from 'vitest';
import { chunksOf } from '#domain/agents/indexing.ts';
import { countWords, packWords, type PassageBlock, rankPassages, packVectors } from '#domain/agents/vector-index.ts';
import { embed } from '#local/demo-engine/engine.ts';
import { type DocumentName, documents, questions, textOf, unrelated } from '#test/agents/retrieval-questions.ts';

type Block = PassageBlock & { readonly name: string; readonly texts: readonly string[] };

/** The demo's embeddings: hashes of words and of parts of words. */
async function vectorsOf(input: readonly string[]): Promise<number[][]> {
  const body = { model: 'svc-embed', dimensions: 1536, encoding_format: 'float' as const };
  const vectors: number[][] = [];
  for (const text of input) {
    const reply = await embed({ ...body, input: [text] }, { plainMs: 0 } as never, new AbortController().signal);
    const { data } = (reply as { body: unknown }).body as { data: { embedding: number[] }[] };
    vectors.push(...data.map(({ embedding }) => embedding));
  }
  return vectors;
}

async function blockOf(name: string, texts: readonly string[]): Promise<Block> {
  const words = packWords(texts.map(countWords));
  return { name, texts, model: 'svc-embed', count: texts.length, vectors: packVectors(await vectorsOf(texts)), words };
}

const search = async (blocks: readonly Block[], text: string, by: 'both' | 'vectors' | 'words' = 'both') => {
  const [vector = []] = await vectorsOf([text]);
  const query = {
    model: 'svc-embed',
    text: by === 'vectors' ? '' : text,
    vector: by === 'words' ? vector.map(() => 0) : vector,
  };
  return rankPassages(blocks, query, 4).map(({ block, place, score }) => {
    return { name: block.name, text: block.texts[place]?.replaceAll(/\s+/g, ' ') ?? '', score };
  });
};

describe('retrieval of four passages', () => {
  it('finds the one relevant sentence among repeated sentences', async () => {
    const text = `${'Harbours are old. '.repeat(60)}The ferry to Zanzibar leaves at noon. ${'Lighthouses are tall. '.repeat(60)}`;
    const blocks = [
      await blockOf(
        'Guide',
        chunksOf(text).map((chunk) => chunk.text),
      ),
    ];
    const [first] = await search(blocks, 'When does the ferry to Zanzibar leave?');
    expect(first?.text).toContain('The ferry to Zanzibar leaves at noon.');
    expect(first?.score).toBeLessThan(0.1);
  });

  describe('from the documentation of three packages', () => {
    let blocks: Block[];
    beforeAll(async () => {
      const names = Object.keys(documents) as DocumentName[];
      blocks = await Promise.all(
        names.map((name) =>
          blockOf(
            name,
            chunksOf(textOf(name)).map(({ text }) => text),
          ),
        ),
      );
    }, 60_000);

    const found = async (by: 'both' | 'vectors' | 'words'): Promise<number> => {
      const hits = await Promise.all(
        questions.map(async ([name, question, quote]) =>
          (await search(blocks, question, by)).some((one) => one.name === name && one.text.includes(quote)),
        ),
      );
      return hits.filter(Boolean).length;
    };

    it('finds the right passage for 45 of 50 questions, more than with vectors or words alone', async () => {
      const everywhere = blocks.flatMap(({ texts }) => texts.map((text) => text.replaceAll(/\s+/g, ' ')));
      for (const [, question, quote] of questions)
        expect([question, everywhere.filter((text) => text.includes(quote)).length]).toEqual([question, 1]);
      const [vectors, words, both] = [await found('vectors'), await found('words'), await found('both')];
      console.log(`right passage among four, of ${questions.length}: vectors ${vectors}, words ${words}, both ${both}`);
      expect(questions).toHaveLength(50);
      expect(both).toBeGreaterThanOrEqual(45);
      expect(both).toBeGreaterThan(Math.max(vectors, words));
    });

    it('matches words in at most one passage for unrelated questions', async () => {
      const counts = await Promise.all(unrelated.map(async (text) => (await search(blocks, text, 'words')).length));
      expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(1);
    });
  });
});
