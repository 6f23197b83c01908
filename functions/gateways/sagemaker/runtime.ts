import { findModel } from '#contract/inference/models.ts';

/** One call of an endpoint. */
export interface Invocation {
  readonly endpoint: string;
  /** Inference component of the endpoint, where it has such. */
  readonly component?: string | undefined;
  /** Sent as JSON, unless it is bytes already, of `contentType`. */
  readonly body: unknown;
  readonly contentType?: string | undefined;
  /** Media type of the reply; JSON by default. */
  readonly accept?: string | undefined;
  /** What chooses among the APIs of a container that has several. */
  readonly attributes?: string | undefined;
  /** Bytes that a whole reply may have; a longer one is refused with BodyTooLarge. */
  readonly maxBytes: number;
}

/** Sends an invocation, and gives its whole reply as JSON. */
export type Invoke = (deadline: Deadline) => Promise<unknown>;

/** Sends an invocation, and gives the bytes of its reply as they come, no faster than they are taken. */
export type Streaming = (deadline: Deadline) => AsyncIterable<Buffer>;

/** The SageMaker runtime. It makes an invocation ready; what it gives back sends it, once. */
export interface ModelRuntime {
  reply(invocation: Invocation): Invoke;
  parts(invocation: Invocation): Streaming;
}

export const commandInput = ({
  endpoint,
  component,
  body,
  contentType = 'application/json',
  accept = 'application/json',
  attributes,
}: Invocation) => ({
  EndpointName: endpoint,
  InferenceComponentName: component,
  ContentType: contentType,
  Accept: accept,
  CustomAttributes: attributes,
  Body: body instanceof Uint8Array ? body : JSON.stringify(body),
});

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

/**
 * The end of a wait: so many ms after its `start`, when another signal fires, or when `end` is called. `clear` once nothing waits
 * any more. What is waited for is sent first, and does not wait for the timer.
 *
 * `AbortSignal.timeout` and `any` do the same, but keep a timer, signals and their weak references for the whole time, also
 * of calls that ended long before: a minute of calls at a time. And a signal costs more than all else about a wait, so one is
 * made only where one is read.
 */
export class Deadline {
  isOver = false;
  /** What is to be done when the time is over, by who waits at the moment. */
  onEnd: (() => void) | undefined;
  readonly #ms: number;
  #timer: NodeJS.Timeout | undefined;
  readonly #other: AbortSignal | undefined;
  #controller: AbortController | undefined;

  constructor(ms: number, other?: AbortSignal) {
    this.#ms = ms;
    this.#other = other;
    if (other?.aborted) this.end();
    else other?.addEventListener('abort', this.end, { once: true });
  }

  start(): void {
    this.#timer = setTimeout(this.end, this.#ms);
  }

  readonly end = (): void => {
    if (this.isOver) return;
    this.isOver = true;
    this.#controller?.abort();
    this.onEnd?.();
  };

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.isOver) this.#controller.abort();
    return this.#controller.signal;
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#other?.removeEventListener('abort', this.end);
  }
}
