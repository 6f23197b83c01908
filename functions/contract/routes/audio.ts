import { OpenAiSpeechRequest, Speech, SpeechRequest, VoiceList } from '../audio/speech.ts';
import {
  maxTranscribeBodyBytes,
  OpenAiTranscription,
  OpenAiTranscriptionRequest,
  Transcription,
  TranscriptionForm,
  TranscriptionRequest,
} from '../audio/transcription.ts';
import { defineRoute, type Route } from '../http/route.ts';

/** The model may compile for as long as SageMaker waits before its first byte; the rest is for reading it. */
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
  timeoutSeconds: 65,
} as const;

/** Speech of texts, and texts of speech. */
export const audioRoutes = {
  createSpeech: defineRoute({
    ...speech,
    id: 'create-speech',
    path: '/api/ai/speech',
    summary: 'Speak a text',
    credential: 'session or key',
    confirmed: true,
    bodyInput: SpeechRequest,
    responseKinds: ['json', 'audio'],
    output: Speech,
    uses: { tables: { accounts: 'write', meters: 'write', idempotency: 'delete' }, inference: true },
  }),
  listVoices: defineRoute({
    id: 'list-voices',
    method: 'GET',
    path: '/api/ai/voices',
    summary: 'List the voices',
    credential: 'session or key',
    output: VoiceList,
    uses: { tables: { accounts: 'write', meters: 'read' } },
  }),
  createOpenAiSpeech: defineRoute({
    ...speech,
    id: 'create-openai-speech',
    path: '/openai/v1/audio/speech',
    summary: 'Speak a text, for OpenAI clients',
    credential: 'key',
    bodyInput: OpenAiSpeechRequest,
    responseKinds: ['audio'],
    uses: { tables: { meters: 'write', idempotency: 'delete' }, inference: true },
  }),
  createTranscription: defineRoute({
    ...transcription,
    id: 'create-transcription',
    path: '/api/ai/transcribe',
    summary: 'Write down what is spoken',
    credential: 'session or key',
    confirmed: true,
    bodyInput: TranscriptionRequest,
    formInput: TranscriptionForm,
    bodyKinds: ['multipart', 'json'],
    output: Transcription,
    uses: { tables: { accounts: 'write', meters: 'write', idempotency: 'delete' }, inference: true },
  }),
  createOpenAiTranscription: defineRoute({
    ...transcription,
    id: 'create-openai-transcription',
    path: '/openai/v1/audio/transcriptions',
    summary: 'Write down what is spoken, for OpenAI clients',
    credential: 'key',
    bodyInput: OpenAiTranscriptionRequest,
    bodyKinds: ['multipart'],
    responseKinds: ['json', 'text'],
    output: OpenAiTranscription,
    uses: { tables: { meters: 'write', idempotency: 'delete' }, inference: true },
  }),
} as const satisfies Record<string, Route>;
