import {
  type PinpointSMSVoiceV2Client,
  SendTextMessageCommand,
  SendVoiceMessageCommand,
  type VoiceId,
} from '@aws-sdk/client-pinpoint-sms-voice-v2';
import * as v from 'valibot';
import { CarrierId } from '#domain/messages/carrier-id.ts';
import type { HandToCarrier, OutgoingMessage } from '#domain/messages/ports.ts';
import { handOverOf } from './failures.ts';

/** US dollars as AWS takes them; names of resources that are absent on one machine. */
export interface CarrierSettings {
  readonly maxPrice: string;
  readonly origination: string | undefined;
  readonly configurationSet: string | undefined;
  readonly protectConfiguration: string | undefined;
  /** Milliseconds in which the whole response is there, else nobody knows. */
  readonly deadlineMs: number;
}

/** Seconds in which a message is handed on, else it expires: a code or a notice that comes the next day harms. */
const timeToLive = { sms: 4 * 3600, voice_call: 600 } as const;

/** Through AWS End User Messaging, whose API knows no token for repeats: the client makes one attempt. Our id comes back with its events. */
export function carrier(client: PinpointSMSVoiceV2Client, settings: CarrierSettings): HandToCarrier {
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
      return v.is(CarrierId, MessageId) ? { is: 'taken', carrierId: MessageId } : { is: 'taken' };
    } catch (error) {
      return handOverOf(error);
    }
  };
}

function voiceId(voice: string | null): VoiceId {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the contract lists those of the API, in lower case; a test holds both to the same
  return (voice ?? '').toUpperCase() as VoiceId;
}
