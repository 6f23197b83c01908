import {
  type PinpointSMSVoiceV2Client,
  SendTextMessageCommand,
  SendVoiceMessageCommand,
  type VoiceId,
} from '@aws-sdk/client-pinpoint-sms-voice-v2';
import type { HandToCarrier, OutgoingMessage } from '#domain/messages/ports.ts';
import { handOverOf } from './failures.ts';

/** US dollars as AWS takes them; names of resources that are absent on one machine. */
export interface CarrierSettings {
  readonly maxPrice: string;
  readonly origination: string | undefined;
  readonly configurationSet: string | undefined;
  readonly protectConfiguration: string | undefined;
}

/** Seconds in which a message is handed on, else it expires: a code or a notice that comes the next day harms. */
const timeToLive = { sms: 4 * 3600, voice_call: 600 } as const;

/** Through AWS End User Messaging, whose API knows no token for repeats: the client makes one attempt. Our id comes back with its events. */
export function carrier(client: PinpointSMSVoiceV2Client, settings: CarrierSettings): HandToCarrier {
  const { maxPrice, origination, configurationSet, protectConfiguration } = settings;
  const common = ({ accountId, id, to, text, channel }: OutgoingMessage) => ({
    DestinationPhoneNumber: to,
    MessageBody: text,
    Context: { account: String(accountId), message: id },
    TimeToLive: timeToLive[channel],
    ...(configurationSet !== undefined && { ConfigurationSetName: configurationSet }),
    ...(protectConfiguration !== undefined && { ProtectConfigurationId: protectConfiguration }),
  });

  async function send(message: OutgoingMessage): Promise<void> {
    if (message.channel === 'sms') {
      const from = origination !== undefined && { OriginationIdentity: origination };
      const input = { ...common(message), ...from, MessageType: 'TRANSACTIONAL', MaxPrice: maxPrice } as const;
      await client.send(new SendTextMessageCommand(input));
      return;
    }
    await client.send(
      new SendVoiceMessageCommand({
        ...common(message),
        OriginationIdentity: origination,
        VoiceId: voiceId(message.voice),
        MaxPricePerMinute: maxPrice,
      }),
    );
  }

  return async (message) => {
    try {
      await send(message);
      return { is: 'taken' };
    } catch (error) {
      return handOverOf(error);
    }
  };
}

function voiceId(voice: string | null): VoiceId {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the contract lists those of the API, in lower case; a test holds both to the same
  return (voice ?? '').toUpperCase() as VoiceId;
}
