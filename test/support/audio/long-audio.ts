import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiResponse, TestService } from '#test/service/service.ts';

type Service = Pick<TestService, 'call' | 'origin'>;

interface Allowed {
  readonly id: string;
  readonly url: string;
  readonly fields: Record<string, string>;
}

/** Sends a file with the form of an upload; `change` changes the form fields. */
export async function sendFile(
  { url, fields }: Allowed,
  bytes: Buffer,
  change: Readonly<Record<string, string>> = {},
): Promise<{ status: number; text: string }> {
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...fields, ...change })) form.append(name, value);
  form.append('file', new Blob([new Uint8Array(bytes)]), 'recording');
  const response = await fetch(url, { method: 'POST', body: form });
  return { status: response.status, text: await response.text() };
}

export const newUpload = (service: Service, key: string, bytes: number, contentType = 'audio/wav') =>
  service.call('POST', '/api/ai/uploads', { key, body: { contentType, bytes } });

export async function uploaded(
  service: Service,
  key: string,
  bytes: Buffer,
  contentType = 'audio/wav',
): Promise<string> {
  const { body } = await newUpload(service, key, bytes.length, contentType);
  const { status, text } = await sendFile(body.data, bytes);
  if (status !== 204) throw new Error(`the file was refused: ${status} ${text}`);
  return body.data.id;
}

export const transcribed = (
  service: Service,
  key: string,
  uploadId: string,
  more = {},
  headers = {},
): Promise<ApiResponse> =>
  service.call('POST', '/api/ai/transcriptions', { key, body: { uploadId, ...more }, headers });

export async function ended(service: Service, key: string, id: string): Promise<ApiResponse['body']['data']> {
  for (let tries = 0; tries < 400; tries++) {
    const { body } = await service.call('GET', `/api/ai/transcriptions/${id}`, { key });
    if (!['queued', 'running'].includes(body.data.status)) return body.data;
    await sleep(25);
  }
  throw new Error('the transcription did not end');
}
