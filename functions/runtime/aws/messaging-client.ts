import { PinpointSMSVoiceV2Client } from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { connectionTimeout } from './timeouts.ts';

/** One attempt: a message that is sent again arrives twice. */
export function messagingClient(): PinpointSMSVoiceV2Client {
  const requestHandler = { connectionTimeout, requestTimeout: 10_000, throwOnRequestTimeout: true };
  return new PinpointSMSVoiceV2Client({ maxAttempts: 1, requestHandler });
}
