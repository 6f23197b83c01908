import * as v from 'valibot';
import { samples } from '#contract/samples.ts';

/** A response of the service. `stream`: the body of its streamed form, if the route has one. */
export interface OperationResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Null if the response is not JSON. */
  readonly response: unknown;
  readonly stream?: string;
}

export async function read(reply: Response): Promise<OperationResponse> {
  const { status, headers } = reply;
  const bytes = Buffer.from(await reply.arrayBuffer());
  const isJson = bytes.length > 0 && headers.get('content-type')?.startsWith('application/json');
  return { status, headers, response: isJson ? JSON.parse(bytes.toString()) : null };
}

/** The form of a route with the file of its sample. */
export function formOf(id: string, fields: unknown): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(v.parse(v.record(v.string(), v.string()), fields)))
    form.append(name, value);
  form.set('file', new Blob([Buffer.from(samples[id]?.file ?? '', 'base64')], { type: 'audio/wav' }), 'speech.wav');
  return form;
}
