import * as v from 'valibot';
import { instant, isVisible, pageSize, text, whole } from '../shared/fields.ts';
import { limits } from '../shared/limits.ts';
import { channels, failures } from './names.ts';

/** Voices of Amazon Polly that AWS End User Messaging supports for calls (`VoiceId` of its API), in lower case. */
export const callVoices = [
  'amy',
  'astrid',
  'bianca',
  'brian',
  'camila',
  'carla',
  'carmen',
  'celine',
  'chantal',
  'conchita',
  'cristiano',
  'dora',
  'emma',
  'enrique',
  'ewa',
  'filiz',
  'geraint',
  'giorgio',
  'gwyneth',
  'hans',
  'ines',
  'ivy',
  'jacek',
  'jan',
  'joanna',
  'joey',
  'justin',
  'karl',
  'kendra',
  'kimberly',
  'lea',
  'liv',
  'lotte',
  'lucia',
  'lupe',
  'mads',
  'maja',
  'marlene',
  'mathieu',
  'matthew',
  'maxim',
  'mia',
  'miguel',
  'mizuki',
  'naja',
  'nicole',
  'penelope',
  'raveena',
  'ricardo',
  'ruben',
  'russell',
  'salli',
  'seoyeon',
  'takumi',
  'tatyana',
  'vicki',
  'vitoria',
  'zeina',
  'zhiyu',
] as const;

export const defaultVoice = 'matthew';

/** In order of progress. The last three can follow any earlier status. */
export const messageStatuses = ['queued', 'sent', 'unknown', 'delivered', 'undelivered', 'failed'] as const;
export type MessageStatus = (typeof messageStatuses)[number];

export const encodings = ['GSM-7', 'UCS-2'] as const;
export type Encoding = (typeof encodings)[number];

const channel = v.picklist(channels, 'must be sms or voice_call');
const status = v.picklist(messageStatuses, `must be one of ${messageStatuses.join(', ')}`);

/** The only control characters in a text are line feeds, and carriage returns before them. */
// oxlint-disable-next-line no-control-regex
const hasControls = (value: string): boolean => /[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f]/.test(value);

const messageText = v.pipe(
  text(limits.messageTextCharacters),
  v.check((value) => !hasControls(value), 'must not contain control characters other than line breaks'),
  v.check(isVisible, 'must have a visible character'),
  v.description('At most three segments for an SMS, and 1,000 characters for a call.'),
);

/** Rules that a schema cannot check are enforced in the domain (docs/messages.md#refusals). */
export const NewMessage = v.object(
  {
    channel,
    to: v.pipe(
      v.string('must be a string'),
      v.regex(/^\+[1-9]\d{6,14}$/, 'must be a number in E.164 format, such as +14155550100'),
    ),
    text: messageText,
    voice: v.optional(
      v.pipe(
        v.picklist(callVoices, `must be one of ${callVoices.join(', ')}`),
        v.description('For calls only; matthew if it is left out.'),
      ),
    ),
    reference: v.optional(
      v.nullable(
        v.pipe(text(64), v.description('A value of your own; it is returned with the message and its events.')),
      ),
      null,
    ),
  },
  'must be a JSON object',
);
export type NewMessage = v.InferOutput<typeof NewMessage>;

export const Message = v.object({
  id: v.string(),
  channel,
  to: v.string(),
  text: v.string(),
  status,
  failure: v.pipe(
    v.nullable(v.picklist(failures)),
    v.description('Why it is `undelivered` or `failed`; null otherwise, or if the reason is not known.'),
  ),
  country: v.pipe(v.string(), v.description('ISO 3166-1 code of the country of the number.')),
  segments: v.pipe(v.nullable(whole), v.description('Segments of an SMS, 1 to 3; null for a call.')),
  encoding: v.pipe(v.nullable(v.picklist(encodings)), v.description('Encoding of an SMS; null for a call.')),
  voice: v.pipe(v.nullable(v.string()), v.description('Voice of a call; null for an SMS.')),
  reference: v.nullable(v.string()),
  credits: v.pipe(whole, v.description('Credits charged; 0 after a refund.')),
  createdAt: instant,
  updatedAt: instant,
});

export const MessagePath = v.object({ id: text(64) });

/** `cursor` is the `nextCursor` of the previous page. */
export const MessageListQuery = v.object({
  status: v.optional(status),
  channel: v.optional(channel),
  cursor: v.optional(v.pipe(text(64), v.regex(/^msg_[0-9A-Za-z]+$/, 'must be the nextCursor of the previous page'))),
  limit: v.optional(pageSize, '50'),
});

/** Newest first, for the last 30 days. */
export const MessageList = v.object({ items: v.array(Message), nextCursor: v.nullable(v.string()) });
