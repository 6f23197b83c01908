import { voices } from '#contract/audio/speech.ts';
import type { audioRoutes } from '#contract/routes/audio.ts';
import type { JobOrder } from '#domain/audio/job-order.ts';
import type { SpeechOrder } from '#domain/audio/speech.ts';
import {
  returnsSegments,
  toOpenAiTranscription,
  toOpenAiTranslation,
  transcriptionModel,
  type TranscriptionOrder,
} from '#domain/audio/transcription.ts';
import type { Operation, PricedOperation } from '#runtime/operation.ts';

export const createOpenAiSpeech: PricedOperation<typeof audioRoutes.createOpenAiSpeech, SpeechOrder> = {
  order: async ({ audio }, body) => {
    const { input: text, response_format: format, model, voice, speed } = body;
    return (await audio()).speech.order({ text, format, model, voice, speed }, 'audio');
  },
  run: async ({ audio }, { order }) => (await audio()).speech.stream(order),
};

export const createOpenAiTranscription: PricedOperation<
  typeof audioRoutes.createOpenAiTranscription,
  TranscriptionOrder
> = {
  order: async (services, body, prove) => {
    await prove();
    const { model, file, language, prompt, temperature, response_format: format, stream } = body;
    const granularities = body['timestamp_granularities[]'] ?? [];
    return (await services.audio()).transcription.order({
      model,
      file,
      language,
      prompt,
      temperature,
      segments: returnsSegments(format, granularities),
      words: granularities.includes('word'),
      stream,
    });
  },
  run: async (services, { order, input, setCost }) => {
    const { transcription } = await services.audio();
    if (order.stream) return transcription.stream(order);
    const { body, cost } = await transcription.transcribe(order);
    setCost(cost);
    return toOpenAiTranscription(body, input.body.response_format);
  },
};

export const createOpenAiTranslation: PricedOperation<typeof audioRoutes.createOpenAiTranslation, TranscriptionOrder> =
  {
    order: async (services, body, prove) => {
      await prove();
      const { model, file, prompt, temperature, response_format: format } = body;
      const segments = returnsSegments(format);
      const input = { model, file, prompt, temperature, segments, words: false, translate: true } as const;
      return (await services.audio()).transcription.order(input);
    },
    run: async (services, { order, input, setCost }) => {
      const { body, cost } = await (await services.audio()).transcription.transcribe(order);
      setCost(cost);
      return toOpenAiTranslation(body, input.body.response_format);
    },
  };

export const createSpeech: PricedOperation<typeof audioRoutes.createSpeech, SpeechOrder> = {
  order: async ({ audio }, body, _prove, kind) => (await audio()).speech.order(body, kind),
  run: async ({ audio }, { order }) => {
    const { speech } = await audio();
    return order.stream ? speech.stream(order) : speech.whole(order);
  },
};

export const createTranscriptionJob: PricedOperation<typeof audioRoutes.createTranscriptionJob, JobOrder> = {
  open: async ({ audioJobs }, { input, caller, prove }) =>
    (await audioJobs()).order()(caller.accountId, input.body, prove),
  modelOf: () => transcriptionModel,
  run: async ({ audioJobs }, { caller, order, openHold }) =>
    (await audioJobs()).jobs().create(caller.accountId, order, openHold),
};

export const createTranscription: PricedOperation<typeof audioRoutes.createTranscription, TranscriptionOrder> = {
  order: async (services, body, prove) => {
    await prove();
    const { language, timestamps } = body;
    const file = 'file' in body ? body.file : { contentType: '', bytes: Buffer.from(body.audio, 'base64') };
    return (await services.audio()).transcription.order({
      model: transcriptionModel,
      file,
      language,
      segments: timestamps !== 'none',
      words: timestamps === 'word',
    });
  },
  run: async (services, { order, setCost }) => {
    const { body, cost } = await (await services.audio()).transcription.transcribe(order);
    setCost(cost);
    return body;
  },
};

export const createUpload: Operation<typeof audioRoutes.createUpload> = async ({ audioJobs }, { input, caller }) =>
  (await audioJobs()).upload()(caller.accountId, input.body);

export const deleteTranscriptionJob: Operation<typeof audioRoutes.deleteTranscriptionJob> = async (
  { audioJobs },
  { input, caller },
) => (await audioJobs()).jobs().remove(caller.accountId, input.path.id);

export const getTranscriptionJob: Operation<typeof audioRoutes.getTranscriptionJob> = async (
  { audioJobs },
  { input, caller },
) => (await audioJobs()).jobs().get(caller.accountId, input.path.id);

export const listTranscriptionJobs: Operation<typeof audioRoutes.listTranscriptionJobs> = async (
  { audioJobs },
  { input, caller },
) => (await audioJobs()).jobs().list(caller.accountId, input.query);

export const listVoices: Operation<typeof audioRoutes.listVoices> = () => ({ items: [...voices], nextCursor: null });
