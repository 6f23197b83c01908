import { OpenAiSpeechRequest, Speech, SpeechRequest, VoiceList } from '../audio/speech.ts';
import {
  largerAudio,
  maxTranscribeBodyBytes,
  OpenAiSpeechTranslation,
  OpenAiTranscription,
  OpenAiTranscriptionRequest,
  OpenAiTranslationRequest,
  Transcription,
  TranscriptionForm,
  TranscriptionRequest,
} from '../audio/transcription.ts';
import {
  NewTranscription,
  NewUpload,
  TranscriptionJob,
  TranscriptionList,
  TranscriptionPath,
  TranscriptionQuery,
  TranscriptionResult,
  Upload,
} from '../audio/transcriptions.ts';
import { defineRoute, type Route } from '../http/route.ts';

/** The model may compute until SageMaker's timeout for the first byte. The rest is for reading its reply. */
const speechSeconds = 120;

const speech = {
  method: 'POST',
  priced: { service: 'audio', capability: 'speech' },
  idempotent: true,
  streaming: true,
  timeoutSeconds: speechSeconds,
} as const;

const transcription = {
  method: 'POST',
  priced: { service: 'transcription', capability: 'transcription' },
  idempotent: true,
  streaming: true,
  maxBodyBytes: maxTranscribeBodyBytes,
  largerBodies: largerAudio,
  timeoutSeconds: 65,
} as const;

const shared = { credential: 'session or key', access: 'develop', confirmed: true } as const;
const created = { status: 201, message: 'SUCCESS' };
const jobs = '/api/ai/transcriptions';

/** Accounts contain sessions. The key is in the meter. */
const reading = { tables: { accounts: 'write', meters: 'read', transcriptions: 'read' } } as const;

export const audioRoutes = {
  createSpeech: defineRoute({
    ...speech,
    id: 'create-speech',
    path: '/api/ai/speech',
    summary: 'Convert text to speech',
    credential: 'session or key',
    access: 'develop',
    confirmed: true,
    bodyInput: SpeechRequest,
    responseKinds: ['json', 'audio'],
    output: Speech,
    uses: { tables: { accounts: 'write', meters: 'write', idempotency: 'delete' }, inference: true, content: 'write' },
  }),
  listVoices: defineRoute({
    id: 'list-voices',
    method: 'GET',
    path: '/api/ai/voices',
    summary: 'List the voices',
    ...shared,
    access: 'read',
    output: VoiceList,
    uses: { tables: { accounts: 'write', meters: 'read' } },
  }),
  createOpenAiSpeech: defineRoute({
    ...speech,
    id: 'create-openai-speech',
    path: '/openai/v1/audio/speech',
    summary: 'Convert text to speech, for OpenAI clients',
    credential: 'key',
    bodyInput: OpenAiSpeechRequest,
    responseKinds: ['audio'],
    uses: { tables: { meters: 'write', idempotency: 'delete' }, inference: true, content: 'write' },
  }),
  createTranscription: defineRoute({
    ...transcription,
    id: 'create-transcription',
    path: '/api/ai/transcribe',
    summary: 'Transcribe audio',
    credential: 'session or key',
    access: 'develop',
    confirmed: true,
    bodyInput: TranscriptionRequest,
    formInput: TranscriptionForm,
    bodyKinds: ['multipart', 'json'],
    output: Transcription,
    uses: { tables: { accounts: 'write', meters: 'write', idempotency: 'delete' }, inference: true, content: 'write' },
  }),
  createOpenAiTranscription: defineRoute({
    ...transcription,
    id: 'create-openai-transcription',
    path: '/openai/v1/audio/transcriptions',
    summary: 'Transcribe audio, for OpenAI clients',
    credential: 'key',
    bodyInput: OpenAiTranscriptionRequest,
    bodyKinds: ['multipart'],
    responseKinds: ['json', 'text'],
    output: OpenAiTranscription,
    uses: { tables: { meters: 'write', idempotency: 'delete' }, inference: true, content: 'write' },
  }),
  createOpenAiTranslation: defineRoute({
    ...transcription,
    id: 'create-openai-translation',
    path: '/openai/v1/audio/translations',
    summary: 'Translate speech to English, for OpenAI clients',
    credential: 'key',
    bodyInput: OpenAiTranslationRequest,
    bodyKinds: ['multipart'],
    responseKinds: ['json', 'text'],
    output: OpenAiSpeechTranslation,
    uses: { tables: { meters: 'write', idempotency: 'delete' }, inference: true, content: 'write' },
  }),
  createUpload: defineRoute({
    ...shared,
    id: 'create-upload',
    method: 'POST',
    path: '/api/ai/uploads',
    summary: 'Create an upload for audio',
    note: 'Then send the file to storage, as a form with the fields of the response.',
    bodyInput: NewUpload,
    output: Upload,
    success: created,
    refusals: ['INVALID_STATE', 'RATE_LIMIT_EXCEEDED'],
    idempotent: true,
    uses: {
      tables: { accounts: 'write', meters: 'read', transcriptions: 'write', idempotency: 'delete' },
      audioFiles: 'upload',
    },
  }),
  createTranscriptionJob: defineRoute({
    ...shared,
    id: 'create-transcription-job',
    method: 'POST',
    path: jobs,
    summary: 'Transcribe an upload',
    note: 'It continues after the response. The longest duration that the file may have is charged; when the transcription ends, the difference, or everything if it failed, is given back.',
    bodyInput: NewTranscription,
    output: TranscriptionJob,
    success: created,
    refusals: ['NOT_FOUND', 'INVALID_STATE'],
    priced: { service: 'transcription', capability: 'transcription', settlesItself: true },
    idempotent: true,
    uses: {
      tables: { accounts: 'write', meters: 'write', transcriptions: 'delete', idempotency: 'delete' },
      audioFiles: 'begin',
      asyncInference: true,
    },
  }),
  listTranscriptionJobs: defineRoute({
    ...shared,
    id: 'list-transcription-jobs',
    method: 'GET',
    path: jobs,
    summary: 'List the transcriptions, newest first',
    queryInput: TranscriptionQuery,
    output: TranscriptionList,
    uses: reading,
  }),
  getTranscriptionJob: defineRoute({
    ...shared,
    id: 'get-transcription-job',
    method: 'GET',
    path: `${jobs}/{id}`,
    summary: 'Get a transcription',
    pathInput: TranscriptionPath,
    output: TranscriptionResult,
    refusals: ['NOT_FOUND'],
    uses: { ...reading, audioFiles: 'read' },
    streaming: true,
  }),
  deleteTranscriptionJob: defineRoute({
    ...shared,
    id: 'delete-transcription-job',
    method: 'DELETE',
    path: `${jobs}/{id}`,
    summary: 'Delete a transcription',
    note: 'Its audio and text are deleted too. A transcription that has not ended is charged for the seconds of its file.',
    pathInput: TranscriptionPath,
    refusals: ['NOT_FOUND'],
    uses: {
      tables: { accounts: 'write', meters: 'write', transcriptions: 'delete' },
      audioFiles: 'delete',
    },
  }),
} as const satisfies Record<string, Route>;
