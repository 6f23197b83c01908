import { findModel } from '#contract/inference/models.ts';

const kilobyte = 1024;

/** Of everything beside the output: ids, usage, reasons. */
const aboutBytes = 64 * kilobyte;
/** Of one token in a whole response: the longest of a vocabulary, escaped, and what TGI lists of each of a prompt. */
const wholeTokenBytes = 384;
/** Of the vector of one text: 4,096 dimensions at 32 bytes. */
const vectorBytes = 128 * kilobyte;
/** Of one token in a stream, whose every chunk repeats what it belongs to. */
const streamedTokenBytes = 4 * kilobyte;
/** Of a stream beside its tokens: comments that keep it alive, chunks without content. */
const streamBytes = 1024 * kilobyte;

/** Bytes that a whole response of text may have: no model makes more tokens than its context has. */
export function maxTextBytes(model: string): number {
  const { contextWindow } = findModel(model, 'chat') ?? findModel(model, 'completion') ?? { contextWindow: 0 };
  return aboutBytes + wholeTokenBytes * contextWindow;
}

export const maxEmbeddingsBytes = (texts: number): number => aboutBytes + vectorBytes * texts;

export const maxStreamBytes = (maxTokens: number): number => streamBytes + streamedTokenBytes * maxTokens;

/** What each part and each event of a stream counts beside its bytes, so that floods of tiny ones end as early as of large ones. */
export const pieceBytes = 128;

/** Of the audio of one text: 20 minutes, as slow as it may be spoken, at 24,000 samples of 16 bits a second. */
export const maxSpeechBytes = 20 * 60 * 48_000;

/** Of a transcript: hours of speech with the times of each word. */
export const maxTranscriptBytes = 8 * 1024 * kilobyte;
