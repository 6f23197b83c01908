import { speechFormats } from '#contract/audio/speech.ts';
import type { AudioStream, ModelSpeechRequest, SpeechGateway } from '#domain/audio/speech.ts';
import type { ModelTranscript, ModelTranscriptionRequest, TranscriptionGateway } from '#domain/audio/transcription.ts';
import type { ModelCall } from '#domain/inference/order.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import type { SpeechDialect, TranscriptionDialect } from './container.ts';
import { Deadline, TimedParts } from './deadline.ts';
import { serviceErrorOf } from './errors.ts';
import { firstStream } from './fallback.ts';
import { maxSpeechBytes, maxTranscriptBytes, type ModelRuntime, type Streaming } from './runtime.ts';
import { Attempts, type GatewayContext, type ModelGatewaySettings, type Served } from './served-model.ts';
import { readReply } from './text-calls.ts';
import { omni } from './vllm.ts';
import { whisperx } from './whisperx.ts';

/** Audio models behind their endpoints. Each endpoint is tried once. */
export function audioGateway(
  runtime: ModelRuntime,
  settings: ModelGatewaySettings,
): SpeechGateway & TranscriptionGateway {
  const context = { runtime, settings };
  return {
    speech: (model, request) => new SpeechCall(context, model, request),
    transcribe: (model, request, signal) => transcribe(context, model, request, signal),
  };
}

/** A text for a speech model. Its audio is streamed. */
class SpeechCall implements ModelCall<AudioStream> {
  readonly #context: GatewayContext;
  readonly #model: string;
  readonly #request: ModelSpeechRequest;
  #attempts: Attempts<SpeechDialect, Streaming> | undefined;

  constructor(context: GatewayContext, model: string, request: ModelSpeechRequest) {
    this.#context = context;
    this.#model = model;
    this.#request = request;
  }

  prepare(): void {
    this.#tries();
  }

  send(signal?: AbortSignal): AudioStream {
    const attempts = this.#tries();
    const { deadlineMs: waitMs, streamDeadlineMs } = this.#context.settings;
    const deadline = new Deadline(streamDeadlineMs, signal);
    const open = (parts: Streaming, own: Deadline) =>
      audioChunks({ model: this.#model, request: this.#request, parts, deadline: own, waitMs });
    const chunks = attempts.hasFallback
      ? firstStream({ attempts, deadline, settings: this.#context.settings, waitMs, open, hasOutput: () => true })
      : open(attempts.first, deadline);
    return { chunks, cancel: deadline.end };
  }

  #tries(): Attempts<SpeechDialect, Streaming> {
    return (this.#attempts ??= new Attempts({
      context: this.#context,
      model: this.#model,
      dialectOf: ({ speech }) => speech,
      containers: { omni, openai: omni },
      makeReady: ({ place, dialect, servedName }) =>
        this.#context.runtime.parts({
          place,
          body: dialect.body(this.#request, servedName),
          accept: speechFormats[this.#request.response_format],
          attributes: dialect.attributes,
          maxBytes: maxSpeechBytes,
        }),
    }));
  }
}

interface AudioSource {
  readonly model: string;
  readonly request: ModelSpeechRequest;
  readonly parts: Streaming;
  readonly deadline: Deadline;
  /** Maximum wait for each piece. */
  readonly waitMs: number;
}

/**
 * Audio bytes as the container streams them, limited in time and size. Stopping the generator cancels the model's work.
 * Empty audio is an error.
 */
async function* audioChunks({ model, request, parts, deadline, waitMs }: AudioSource): AsyncGenerator<Buffer> {
  const timed = new TimedParts(parts, { deadline, waitMs, maxBytes: maxSpeechBytes });
  let isWhole = false;
  let audioBytes = 0;
  try {
    for (let part = await timed.next(); !part.done; part = await timed.next()) {
      audioBytes += part.value.length;
      if (part.value.length > 0) yield part.value;
      timed.restartWait();
    }
    if (audioBytes === 0) throw new ServiceError('MODEL_ERROR', 'The model stopped before its response was complete.');
    isWhole = true;
  } catch (error) {
    throw named(serviceErrorOf(error, model, deadline.isOver), model, request);
  } finally {
    await timed.close(isWhole);
  }
}

/** Maps a container's error to ours, without the container's text. */
function named(
  error: ServiceError,
  model: string,
  { voice, response_format: format }: ModelSpeechRequest,
): ServiceError {
  if (error.code !== 'INVALID_FORMAT') return error;
  const detail = `The model ${model} cannot speak this text with the voice ${voice} as ${format}. Change the text, the voice or the format.`;
  return new ServiceError('INVALID_FORMAT', detail, { cause: error });
}

function transcribe(
  context: GatewayContext,
  model: string,
  request: ModelTranscriptionRequest,
  signal?: AbortSignal,
): Promise<ModelTranscript> {
  const attempts = new Attempts({
    context,
    model,
    dialectOf: ({ transcription }) => transcription,
    containers: { whisperx, openai: whisperx },
    makeReady({ place, dialect, servedName }: Served<TranscriptionDialect>) {
      const { bytes: body, contentType } = dialect.body(request, servedName);
      const attributes = request.translate && translationRoute;
      const invoke = context.runtime.reply({ place, body, contentType, attributes, maxBytes: maxTranscriptBytes });
      const parse = (value: unknown): ModelTranscript => {
        const { task, ...transcript } = dialect.reply(value);
        const translated = task === 'translate' || (task === undefined && place.kind === 'openai');
        if (request.translate && !translated) throw onlyTranscribes(model);
        return transcript;
      };
      return { invoke, parse };
    },
  });
  const isOver = () => signal?.aborted ?? false;
  const limits = { waitMs: context.settings.deadlineMs, kind: 'whole', isOver } as const;
  return attempts.respond(limits, (ready, deadlineMs) => readReply({ model, ...ready, deadlineMs, signal }));
}

/** OpenAI-compatible servers have a separate path for translations. */
const translationRoute = 'route=/v1/audio/translations';

/** AWS's image ignores `task` and transcribes, so the reply must confirm the translation. */
function onlyTranscribes(model: string): ServiceError {
  const detail = `The model ${model} cannot translate speech. Use POST /openai/v1/audio/transcriptions.`;
  return new ServiceError('INVALID_FORMAT', detail, { field: { path: 'model', isMissing: false } });
}
