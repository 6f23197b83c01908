import { randomBytes } from 'node:crypto';
import { findModel } from '#contract/inference/models.ts';
import type { BedrockEndpoint, OpenAiEndpoint, SageMakerEndpoint } from '#contract/offer/offer.ts';
import { type JsonLiterals, minLiteralUnits } from '#domain/shared/text.ts';
import type { Deadline } from './deadline.ts';

export type SageMakerPlace = Pick<SageMakerEndpoint, 'kind' | 'endpoint' | 'component'>;

export interface Invocation<Place = SageMakerPlace | OpenAiEndpoint | BedrockEndpoint> {
  readonly place: Place;
  /** Sent as JSON, unless it is already bytes of type `contentType`. */
  readonly body: unknown;
  /** Literals of strings in the body, which are copied. */
  readonly literals?: JsonLiterals | undefined;
  readonly contentType?: string | undefined;
  /** Media type of the reply. Default: JSON. */
  readonly accept?: string | undefined;
  /** Selects an API of a container that has several. */
  readonly attributes?: string | undefined;
  /** Maximum bytes of a whole reply. A longer one throws BodyTooLarge. */
  readonly maxBytes: number;
}

/** Sends an invocation and returns its whole reply as JSON. */
export type Invoke = (deadline: Deadline) => Promise<unknown>;

/** Sends an invocation and streams the bytes of its reply, with backpressure. */
export type Streaming = (deadline: Deadline) => AsyncIterable<Buffer>;

/** A client of one kind of endpoints, or of all. Prepares an invocation and returns a function that sends it once. */
export interface ModelRuntime<Place = Invocation['place']> {
  reply(invocation: Invocation<Place>): Invoke;
  parts(invocation: Invocation<Place>): Streaming;
}

/** Stands for a literal. Random, because texts of callers are beside it. */
const placeholder = JSON.stringify(randomBytes(16).toString('hex'));

/** Serializes a body like `JSON.stringify`, but copies the literals that are known. */
export function jsonBytes(body: unknown, literals?: JsonLiterals): Buffer {
  if (!literals) return Buffer.from(JSON.stringify(body));
  const copied: string[] = [''];
  const text = JSON.stringify(body, (_key, value) => {
    const literal = typeof value === 'string' && value.length >= minLiteralUnits ? literals.get(value) : undefined;
    if (literal === undefined) return value;
    copied.push(literal);
    return placeholder.slice(1, -1);
  });
  const pieces = text.split(placeholder).flatMap((piece, index) => [copied[index] ?? '', piece]);
  const bytes = Buffer.allocUnsafe(pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0));
  let at = 0;
  for (const piece of pieces) at += bytes.write(piece, at);
  return bytes;
}

export const commandInput = ({
  place,
  body,
  literals,
  contentType = 'application/json',
  accept = 'application/json',
  attributes,
}: Invocation<SageMakerPlace>) => ({
  EndpointName: place.endpoint,
  InferenceComponentName: place.component,
  ContentType: contentType,
  Accept: accept,
  CustomAttributes: attributes,
  // Encoded once, for the signature and the request.
  Body: body instanceof Uint8Array ? body : jsonBytes(body, literals),
});

const kilobyte = 1024;

/** Bytes of everything except the output: ids, usage, finish reasons. */
const aboutBytes = 64 * kilobyte;
/**
 * Bytes per token of a whole response: the longest token of a vocabulary, escaped, and TGI's details for each prompt
 * token.
 */
const wholeTokenBytes = 384;
/** Maximum bytes of a token with its log probability and its list of bytes. */
export const logprobBytes = 512;
/** Bytes of one vector: 4,096 dimensions at 32 bytes. */
const vectorBytes = 128 * kilobyte;
/** Bytes per token of a stream, whose chunks repeat their metadata. */
const streamedTokenBytes = 4 * kilobyte;
/** Bytes besides the tokens of a text response: unrequested choices, keep-alive comments, empty chunks. */
const extraBytes = 1024 * kilobyte;

/** Maximum bytes of a whole text response with this many described tokens: the output, with TGI also the prompt. */
export const maxTextBytes = (tokens: number): number => extraBytes + wholeTokenBytes * tokens;

/** The model's context window, in tokens. */
export const windowOf = (model: string): number =>
  (findModel(model, 'chat') ?? findModel(model, 'completion'))?.contextWindow ?? 0;

export const maxEmbeddingsBytes = (texts: number): number => aboutBytes + vectorBytes * texts;

export const maxStreamBytes = (maxTokens: number): number => extraBytes + streamedTokenBytes * maxTokens;

/**
 * Bytes of the audio of one text: 20 minutes, the longest duration at the lowest speed, at 24,000 16-bit samples a
 * second.
 */
export const maxSpeechBytes = 20 * 60 * 48_000;

/** Bytes of a transcript: hours of speech with word times. */
export const maxTranscriptBytes = 8 * 1024 * kilobyte;
