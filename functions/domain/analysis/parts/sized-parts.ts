import { sentencesOf } from '../../inference/translation/text-parts.ts';
import type { Tokenizer } from '../../shared/ports.ts';
import { partsOf } from './parts.ts';

/** A part of a text, and how many tokens it has at most. */
export interface SizedPart {
  readonly text: string;
  readonly tokens: number;
}

/** By our tokenizer, which is not the model's, a text may have so many times as many, and so many more. */
const slack = { factor: 1.25, tokens: 16 };
const withSlack = (counted: number): number => Math.ceil(counted * slack.factor) + slack.tokens;

/** Bytes for each token from which on a text rarely fits, so that it is counted by sentences straight away. */
const rareBytesPerToken = 3;

/** The most tokens that a text has: its bytes where they are `enough`, else by count. */
export async function maxTokensOf(text: string, enough: number, tokenizer: Tokenizer): Promise<number> {
  const bytes = Buffer.byteLength(text);
  return bytes <= enough ? bytes : Math.min(bytes, withSlack(await tokenizer.count(text)));
}

/** A text in parts of at most so many tokens (some hundred at least), as few as fit, cut at the ends of sentences where it can be. */
export async function sizedParts(text: string, maxTokens: number, tokenizer: Tokenizer): Promise<SizedPart[]> {
  const bytes = Buffer.byteLength(text);
  const tokens = bytes > maxTokens * rareBytesPerToken ? bytes : await maxTokensOf(text, maxTokens, tokenizer);
  if (tokens <= maxTokens) return [{ text, tokens }];
  const runs = await sentenceRuns(text, maxTokens, tokenizer);
  const parts = await Promise.all(
    runs.map(async (run) => (run.tokens <= maxTokens ? [run] : cutRun(run.text, maxTokens, tokenizer))),
  );
  return parts.flat();
}

/** Sentences together as far as they fit; one that does not fit is a run of its own. Blank runs are left out unless all are. */
async function sentenceRuns(text: string, maxTokens: number, tokenizer: Tokenizer): Promise<SizedPart[]> {
  const runs: SizedPart[] = [];
  let [run, counted] = ['', 0];
  const end = (): void => {
    const trimmed = run.trim();
    const tokens = Math.min(Buffer.byteLength(trimmed), withSlack(counted));
    if (trimmed !== '') runs.push({ text: trimmed, tokens });
    [run, counted] = ['', 0];
  };
  for (const sentence of sentencesOf(text)) {
    const own = await tokenizer.count(sentence, maxTokens);
    if (withSlack(counted + own) > maxTokens) end();
    run += sentence;
    counted += own;
  }
  end();
  return runs.length > 0 ? runs : [{ text, tokens: Number.POSITIVE_INFINITY }];
}

/** A long sentence in parts; those that have more tokens for their bytes than the whole are cut again. */
async function cutRun(text: string, maxTokens: number, tokenizer: Tokenizer): Promise<SizedPart[]> {
  const tokens = await maxTokensOf(text, maxTokens, tokenizer);
  if (tokens <= maxTokens) return [{ text, tokens }];
  const maxBytes = Math.floor((Buffer.byteLength(text) * 0.95 * maxTokens) / tokens);
  const parts = partsOf(text, maxBytes).map((part) => cutRun(part.text, maxTokens, tokenizer));
  return (await Promise.all(parts)).flat();
}
