import * as v from 'valibot';
import { languageName, languages } from './languages.ts';

/** A language in a request. Codes may be of either case and are echoed as sent. */
export const languageCode = v.pipe(
  v.string('must be a string'),
  v.check((code) => languageName(code) !== undefined, 'must be a two-letter ISO 639-1 language code'),
  v.metadata({ description: 'An ISO 639-1 code, in lower or upper case.', enum: [...languages.keys()] }),
);
