import { PinpointSMSVoiceV2Client } from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { messagingSettings } from '#aws/clients.ts';
import { messageOrders, messageSending } from '#domain/messages/message-service.ts';
import { carrier } from '#gateways/messages/carrier.ts';
import { countSegments, readNumber } from '#gateways/phone-numbers.ts';
import { messageStore } from '#repositories/messages/messages.ts';
import { logger } from '../telemetry.ts';
import type { CoreServices } from './core-services.ts';
import { dynamoClient } from './dynamo-client.ts';

const carrierDeadlineMs = 10_000;

export function messageCalls({ environment, clock, random, table }: CoreServices) {
  const { MESSAGE_ORIGINATION: origination } = environment;
  return {
    order: messageOrders({
      readNumber,
      countSegments,
      countries: environment.MESSAGE_COUNTRIES,
      hasCalls: origination !== undefined,
    }),
    sending: messageSending({
      messages: messageStore(dynamoClient(), { messages: table('messages'), meters: () => table('meters') }),
      sendToCarrier: carrier(new PinpointSMSVoiceV2Client(messagingSettings()), {
        origination,
        maxPrice: environment.MESSAGE_MAX_PRICE,
        configurationSet: environment.MESSAGE_CONFIGURATION_SET,
        protectConfiguration: environment.MESSAGE_PROTECT_CONFIGURATION,
        deadlineMs: carrierDeadlineMs,
      }),
      limits: {
        perNumber: environment.MESSAGES_PER_NUMBER,
        perAccount: environment.MESSAGES_PER_ACCOUNT,
        perRange: environment.MESSAGES_PER_RANGE,
      },
      onProblem: (problem, { messageId, cause }) => logger().warn(problem, { messageId, error: cause }),
      clock,
      random,
    }),
  };
}
