import { envelopeFormat } from './envelope.ts';
import { openAiFormat } from './openai-format.ts';
import { type AnswerFormat, type FormatName, formatNameOf } from './response-format.ts';

export const answerFormats: Readonly<Record<FormatName, AnswerFormat>> = {
  envelope: envelopeFormat,
  openai: openAiFormat,
};

export const formatOf = (path: string): AnswerFormat => answerFormats[formatNameOf(path)];
