import * as v from 'valibot';
import type { Route } from '#contract/http/route.ts';
import { routes } from '#contract/routes.ts';
import { type Sample, samples } from '#contract/samples.ts';
import { headers } from '../headers.ts';
import { createNormalizer } from './normalizer.ts';
import { RecordedResponses } from './recorded-responses.ts';

/** Credential of the caller, and the sample's references to existing objects. */
export interface Call extends Sample {
  readonly key?: string;
  readonly cookie?: string;
}

const Envelope = v.object({ data: v.unknown() });

/** Sends samples to a service and records the responses. Throws unless a response is successful. */
export function recorder(origin: string) {
  const recorded = new Map<string, unknown>();
  const normalizer = createNormalizer();

  async function send(route: Route, { path = {}, query = {}, body, key, cookie }: Call): Promise<Response> {
    const filled = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
    const search = new URLSearchParams(query).toString();
    const sent = samples[route.id]?.file === undefined ? JSON.stringify(body) : formOf(route.id, body);
    const reply = await fetch(origin + filled + (search && `?${search}`), {
      method: route.method,
      headers: {
        ...(typeof sent === 'string' && { 'content-type': 'application/json' }),
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(cookie !== undefined && { cookie }),
      },
      ...(body !== undefined && { body: sent }),
    });
    if (reply.status === route.success.status) return reply;
    throw new Error(`${route.id} returned ${reply.status} ${await reply.text()}`);
  }

  async function streamOf(route: Route, { more }: Sample, call: Call) {
    const body = more?.['A stream'];
    return body === undefined ? {} : { stream: normalizer.stream(await (await send(route, { ...call, body })).text()) };
  }

  /** Records the first response of a route. Returns its `data` and the cookie it set. */
  async function record(name: keyof typeof routes, call: Call = {}) {
    const route: Route = routes[name];
    const sample = samples[route.id] ?? {};
    const request = {
      path: { ...sample.path, ...call.path },
      query: { ...sample.query, ...call.query },
      ...(route.bodyInput && {
        body: Object.assign({}, sample.body, call.body, sample.file !== undefined && { file: '@speech.wav' }),
      }),
    };
    normalizer.begin(route.id);
    const reply = await send(route, { ...call, ...request });
    const isJson = reply.headers.get('content-type')?.startsWith('application/json');
    const bytes = await reply.arrayBuffer();
    const body: unknown = isJson ? JSON.parse(Buffer.from(bytes).toString()) : null;
    // Normalize every response, because later responses may contain values that were returned only once, such as a key.
    const first = { ...Object(normalizer.value(request)), status: reply.status, response: normalizer.value(body) };
    if (!recorded.has(route.id)) {
      const known = Object.keys(headers).filter((header) => reply.headers.has(header));
      recorded.set(route.id, { ...first, headers: known, ...(await streamOf(route, sample, call)) });
    }
    const cookie = reply.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    return { cookie, data: v.is(Envelope, body) ? body.data : undefined };
  }

  return { record, responses: (): RecordedResponses => v.parse(RecordedResponses, Object.fromEntries(recorded)) };
}

/** Builds the form of a sample, which writes files as `@name`, like curl. */
function formOf(id: string, fields: unknown): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(v.parse(v.record(v.string(), v.string()), fields)))
    form.append(name, value);
  form.set('file', new Blob([Buffer.from(samples[id]?.file ?? '', 'base64')], { type: 'audio/wav' }), 'speech.wav');
  return form;
}
