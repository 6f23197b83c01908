import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiResponse, TestService } from '#test/service/service.ts';

type Service = Pick<TestService, 'call' | 'origin'>;

/** Seconds of silence as a WAV file of 8,000 bytes a second. */
export function silence(seconds: number, rate = 8000): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF');
  head.writeUInt32LE(36 + seconds * rate, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(seconds * rate, 40);
  return Buffer.concat([head, Buffer.alloc(seconds * rate, 128)]);
}

/** Frames of AAC at 16,000 samples a second, of so many bytes each (ISO 13818-7, ADTS). */
export function adts(frames: number, bytes: number): Buffer {
  const frame = Buffer.alloc(bytes);
  frame.set([0xff, 0xf1, 0x60, 0x80 | (bytes >> 11), (bytes >> 3) & 0xff, ((bytes & 7) << 5) | 0x1f, 0xfc]);
  return Buffer.concat(Array.from({ length: frames }, () => frame));
}

interface Allowed {
  readonly id: string;
  readonly url: string;
  readonly fields: Record<string, string>;
}

/** Sends a file to where an upload allows it; `change` changes the fields of the form. */
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

/** A file that has come; its upload's id. */
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

/** A transcription once it is no longer queued or running. */
export async function ended(service: Service, key: string, id: string): Promise<ApiResponse['body']['data']> {
  for (let tries = 0; tries < 400; tries++) {
    const { body } = await service.call('GET', `/api/ai/transcriptions/${id}`, { key });
    if (!['queued', 'running'].includes(body.data.status)) return body.data;
    await sleep(25);
  }
  throw new Error('the transcription did not end');
}
