import http from 'node:http';
import https from 'node:https';
import { PinpointSMSVoiceV2Client, type PinpointSMSVoiceV2ClientConfig } from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { collectBody } from '#gateways/bounded-body.ts';
import { connectionTimeout } from './timeouts.ts';

/** A response contains only an id or an error. */
const maxBytes = 65_536;

/**
 * One attempt, because a retry could send the message twice. No keep-alive: a connection that broke while the
 * function was frozen would leave the result of a send unknown.
 */
export function messagingClient({
  httpAgent = new http.Agent({ keepAlive: false }),
  ...config
}: PinpointSMSVoiceV2ClientConfig & { readonly httpAgent?: http.Agent } = {}): PinpointSMSVoiceV2Client {
  const httpsAgent = new https.Agent({ keepAlive: false });
  const streamCollector = (body: AsyncIterable<Uint8Array>) => collectBody(body, maxBytes);
  const requestHandler = { connectionTimeout, httpAgent, httpsAgent };
  return new PinpointSMSVoiceV2Client({ maxAttempts: 1, streamCollector, requestHandler, ...config });
}
