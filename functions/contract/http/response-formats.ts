import { envelopeFormat } from './envelope.ts';
import { openAiFormat } from './openai-format.ts';
import { type FormatName, formatNameOf, type ResponseFormat } from './response-format.ts';

export const responseFormats: Readonly<Record<FormatName, ResponseFormat>> = {
  envelope: envelopeFormat,
  openai: openAiFormat,
};

export const formatOf = (path: string): ResponseFormat => responseFormats[formatNameOf(path)];
