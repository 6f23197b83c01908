import { audioRoutes } from '#contract/routes/audio.ts';
import {
  headersOf,
  noteOf,
  pathOf,
  type SingleRequest,
  type SpeechCode,
  type TranscriptionCode,
} from '../code-request.ts';
import { curlCommand, shellQuoted } from '../curl.ts';
import { commented, jsonLiteral } from '../literals.ts';
import { speechFile } from './speech-file.ts';

/** A request for a terminal, whatever is sent and comes back. */
export function curlOf(origin: string, request: SingleRequest): string {
  if (request.kind === 'speech') return speech(origin, request);
  if (request.kind === 'transcription') return transcription(origin, request);
  return commented('#', noteOf(request)) + curlCommand(origin, pathOf(request), request.body, headersOf(request));
}

/** A refusal is shown, and no file with the name of audio. */
const speech = (
  origin: string,
  { body }: SpeechCode,
): string => `curl -sSf ${shellQuoted(origin + audioRoutes.createSpeech.path)} \\
  -H "Authorization: Bearer $API_KEY" \\
  -H 'Content-Type: application/json' \\
  -H 'Accept: audio/*' \\
  -d ${shellQuoted(jsonLiteral(body))} \\
  -o ${speechFile(body.format)}`;

function transcription(origin: string, { file, body }: TranscriptionCode): string {
  const parts = [`file=@${file}`, ...Object.entries(body).map(([name, value]) => `${name}=${value}`)];
  return `curl -s ${shellQuoted(origin + audioRoutes.createTranscription.path)} \\
  -H "Authorization: Bearer $API_KEY" \\
${parts.map((part) => `  -F ${shellQuoted(part)}`).join(' \\\n')}`;
}
