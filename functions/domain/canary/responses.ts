import * as v from 'valibot';
import type { Route } from '#contract/http/route.ts';
import { ChatCompletionChunk } from '#contract/inference/stream-chunks.ts';
import { type ErrorCode, errorStatus } from '#contract/shared/errors.ts';
import type { CallerRequest, CallerResponse, SendRequest } from './ports.ts';

type Call = Pick<CallerRequest, 'body' | 'headers'> & { readonly path?: string };

/** The four fields and no others (docs/specification.md#response-envelope-all-json-responses). */
const envelopeOf = (status: number, message: string) =>
  v.pipe(
    v.string(),
    v.parseJson(),
    v.strictObject({
      message: v.literal(message),
      error: v.literal(false),
      data: v.unknown(),
      status: v.literal(status),
    }),
  );

const AnyEnvelope = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ message: v.pipe(v.string(), v.regex(/^[A-Z_]{1,64}$/)) }),
);

/** Calls a route, and gives its data; throws unless it succeeds, in the envelope, with what its row promises. */
export async function call<R extends Route & { readonly output: v.GenericSchema }>(
  send: SendRequest,
  route: R,
  request: Call,
): Promise<{ readonly data: v.InferOutput<R['output']>; readonly response: CallerResponse }> {
  const { data, response } = await succeed(send, route, request);
  return { data: v.parse(route.output, data), response };
}

/** Calls a route whose data is null; throws unless it succeeds. */
export async function perform(send: SendRequest, route: Route, request: Call): Promise<void> {
  const { data } = await succeed(send, route, request);
  v.parse(v.null(), data);
}

async function succeed(send: SendRequest, route: Route, { path = route.path, ...rest }: Call) {
  const { status, message } = route.success;
  const response = await send({ method: route.method, path, ...rest });
  demandStatus(route, response, status);
  return { data: v.parse(envelopeOf(status, message), response.text).data, response };
}

/** Streams a chat, and gives its text; throws unless every event is as it is promised, and the last is the end. */
export async function stream(send: SendRequest, route: Route, { path = route.path, ...rest }: Call) {
  const response = await send({ method: route.method, path, ...rest });
  demandStatus(route, response, 200);
  const events = response.text.split('\n\n').filter((event) => event !== '');
  const texts = events.map((event) => event.replace(/^data: /, ''));
  const chunks = texts.slice(0, -1).map((text) => {
    const { data } = v.parse(envelopeOf(200, 'STREAM_CHUNK'), text);
    return v.parse(ChatCompletionChunk, data);
  });
  v.parse(envelopeOf(200, 'STREAM_COMPLETE'), texts.at(-1) ?? '');
  return { text: chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join(''), response };
}

/** Throws unless the route refuses with this code. */
export async function demandRefusal(send: SendRequest, route: Route, code: ErrorCode, call: Call): Promise<void> {
  const { path = route.path, ...rest } = call;
  const response = await send({ method: route.method, path, ...rest });
  demandStatus(route, response, errorStatus[code]);
  if (codeOf(response) !== code) throw new Error(`${nameOf(route)} refused with ${codeOf(response)}, not ${code}`);
}

function demandStatus(route: Route, response: CallerResponse, status: number): void {
  if (response.status === status) return;
  throw new Error(`${nameOf(route)} returned ${response.status} ${codeOf(response)}, not ${status}`);
}

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

/** Nothing else of a body gets into a log. */
function codeOf({ text }: CallerResponse): string {
  const read = v.safeParse(AnyEnvelope, text);
  return read.success ? read.output.message : 'without an envelope';
}
