import { curlOf } from './audio/curl.ts';
import { longTranscriptionCode } from './audio/long-transcription-code.ts';
import { speechCode } from './audio/speech-code.ts';
import { transcriptionCode } from './audio/transcription-code.ts';
import { type CodeOf, titles } from './code-languages.ts';
import type { CodeRequest, SingleRequest, TextRequest } from './code-request.ts';
import { javascriptCode } from './javascript.ts';
import { pythonCode } from './python.ts';
import { aiSdkCode } from './sdk/ai-sdk.ts';
import { openAiNodeCode } from './sdk/openai-node.ts';
import { openAiPythonCode } from './sdk/openai-python.ts';

export interface CodeSnippet {
  readonly id: string;
  readonly title: string;
  readonly code: string;
}

/** A request in every language that has it. The key is read from the environment: none is in the code. */
export function codeSnippets(origin: string, request: CodeRequest): CodeSnippet[] {
  const code =
    request.kind === 'long-transcription'
      ? longTranscriptionCode(origin, request)
      : { curl: curlOf(origin, request), ...languagesOf(origin, request) };
  return titles.flatMap(([id, title]) => (code[id] === undefined ? [] : [{ id, title, code: code[id] }]));
}

function languagesOf(origin: string, request: SingleRequest): CodeOf {
  if (request.kind === 'speech') return speechCode(origin, request.body);
  return request.kind === 'transcription' ? transcriptionCode(origin, request) : textCode(origin, request);
}

const textCode = (origin: string, request: TextRequest): CodeOf => ({
  python: pythonCode(origin, request),
  javascript: javascriptCode(origin, request),
  'openai-python': openAiPythonCode(origin, request),
  'openai-node': openAiNodeCode(origin, request),
  'ai-sdk': aiSdkCode(origin, request),
});
