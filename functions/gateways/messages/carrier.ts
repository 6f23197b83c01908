import {
  type PinpointSMSVoiceV2Client,
  SendTextMessageCommand,
  SendVoiceMessageCommand,
  type VoiceId,
} from '@aws-sdk/client-pinpoint-sms-voice-v2';
import * as v from 'valibot';
import {
  CarrierId,
  type CarrierResult,
  type SendToCarrier,
  type OutgoingMessage,
  type RefusalReason,
} from '#domain/messages/message.ts';

/** US dollars in AWS's format, and names of resources, which are absent in local mode. */
export interface CarrierSettings {
  readonly maxPrice: string;
  readonly origination: string | undefined;
  readonly configurationSet: string | undefined;
  readonly protectConfiguration: string | undefined;
  /** Timeout in ms for the whole response. After it the result is unknown. */
  readonly deadlineMs: number;
}

/** Seconds after which an undelivered message expires: a code or a notice that arrives the next day does harm. */
const timeToLive = { sms: 4 * 3600, voice_call: 600 } as const;

/**
 * Sends through AWS End User Messaging. Its API has no idempotency token, so the client makes a single attempt. Events
 * contain our message id.
 */
export function carrier(client: PinpointSMSVoiceV2Client, settings: CarrierSettings): SendToCarrier {
  const { maxPrice, origination, configurationSet, protectConfiguration, deadlineMs } = settings;
  const common = ({ accountId, id, to, text, channel }: OutgoingMessage) => ({
    DestinationPhoneNumber: to,
    MessageBody: text,
    Context: { account: String(accountId), message: id },
    TimeToLive: timeToLive[channel],
    ...(configurationSet !== undefined && { ConfigurationSetName: configurationSet }),
    ...(protectConfiguration !== undefined && { ProtectConfigurationId: protectConfiguration }),
  });

  function send(message: OutgoingMessage): Promise<{ readonly MessageId?: unknown }> {
    const within = { abortSignal: AbortSignal.timeout(deadlineMs) };
    if (message.channel === 'sms') {
      const from = origination !== undefined && { OriginationIdentity: origination };
      const input = { ...common(message), ...from, MessageType: 'TRANSACTIONAL', MaxPrice: maxPrice } as const;
      return client.send(new SendTextMessageCommand(input), within);
    }
    const input = {
      ...common(message),
      MessageBodyTextType: 'TEXT',
      OriginationIdentity: origination,
      VoiceId: voiceId(message.voice),
      MaxPricePerMinute: maxPrice,
    } as const;
    return client.send(new SendVoiceMessageCommand(input), within);
  }

  return async (message) => {
    try {
      const { MessageId } = await send(message);
      return v.is(CarrierId, MessageId) ? { is: 'accepted', carrierId: MessageId } : { is: 'accepted' };
    } catch (error) {
      return handOverOf(error);
    }
  };
}

function voiceId(voice: string | null): VoiceId {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the contract lists those of the API, in lower case; a test holds both to the same
  return (voice ?? '').toUpperCase() as VoiceId;
}

/** Fields of an error that are used: names and reasons, never the message, which may quote the number and text. */
const Failure = v.object({
  name: v.fallback(v.string(), 'Error'),
  code: v.fallback(v.optional(v.string()), undefined),
  Reason: v.fallback(v.optional(v.string()), undefined),
  $metadata: v.fallback(v.optional(v.object({ httpStatusCode: v.optional(v.number()) })), undefined),
});
type Failure = v.InferOutput<typeof Failure>;

/** Reasons of the service (its API's ConflictException and ValidationException) that concern the recipient. */
const reasons: Readonly<Record<string, RefusalReason>> = {
  DESTINATION_PHONE_NUMBER_OPTED_OUT: 'opted_out',
  DESTINATION_COUNTRY_BLOCKED: 'country_blocked',
  DESTINATION_COUNTRY_BLOCKED_BY_PROTECT_CONFIGURATION: 'country_blocked',
  DESTINATION_PHONE_NUMBER_BLOCKED_BY_PROTECT_NUMBER_OVERRIDE: 'number_blocked',
  INVALID_IDENTITY_FOR_DESTINATION_COUNTRY: 'country_blocked',
  INTERNATIONAL_SENDING_NOT_SUPPORTED: 'country_blocked',
  PRICE_OVER_THRESHOLD: 'price',
  // In the AWS sandbox, only verified numbers can receive messages.
  DESTINATION_PHONE_NUMBER_NOT_VERIFIED: 'number_blocked',
};

/** Errors that occur before the request is sent. */
const unsent: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/**
 * Maps the error of an attempt: an error response is a refusal. Without a response the result is unknown, unless no
 * connection was made.
 */
export function handOverOf(error: unknown): CarrierResult {
  const failure = v.safeParse(Failure, error);
  const facts = failure.success
    ? failure.output
    : { name: 'Error', code: undefined, Reason: undefined, $metadata: undefined };
  const cause = new Error([facts.name, facts.code, facts.Reason].filter((fact) => fact !== undefined).join(' '));
  const status = facts.$metadata?.httpStatusCode;
  // A gateway in front of the service has timed out.
  if (status === 504) return { is: 'unknown', cause };
  if (status !== undefined && status >= 400) return { is: 'refused', why: whyOf(facts), cause };
  if (facts.code !== undefined && unsent.has(facts.code)) return { is: 'refused', why: 'carrier', cause };
  // The SDK has no credentials or region, or could not connect in time, so nothing was sent. A connection timeout has
  // no code; a response timeout has one.
  const isUnconnected = facts.name === 'TimeoutError' && facts.code === undefined;
  if (facts.name === 'CredentialsProviderError' || isUnconnected) return { is: 'refused', why: 'carrier', cause };
  return { is: 'unknown', cause };
}

function whyOf({ name, Reason = '' }: Failure): RefusalReason {
  const known = Object.hasOwn(reasons, Reason) ? reasons[Reason] : undefined;
  if (known) return known;
  return name === 'ThrottlingException' ? 'throttled' : 'carrier';
}
