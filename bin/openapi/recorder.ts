import * as v from 'valibot';
import type { Route } from '#contract/http/route.ts';
import { routes } from '#contract/routes.ts';
import { type Sample, samples } from '#contract/samples.ts';
import { Answers } from './answers.ts';
import { headers } from './headers.ts';
import { makeUp } from './made-up.ts';

/** Who calls, and what of the sample is another value because it names something that exists. */
export interface Call extends Sample {
  readonly key?: string;
  readonly cookie?: string;
}

const Envelope = v.object({ data: v.unknown() });

/** Sends samples to a service and keeps what it answers. Throws for an answer that is no success. */
export function recorder(origin: string) {
  const recorded = new Map<string, unknown>();
  const madeUp = makeUp();

  async function send(route: Route, { path = {}, query = {}, body, key, cookie }: Call): Promise<Response> {
    const filled = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
    const search = new URLSearchParams(query).toString();
    const reply = await fetch(origin + filled + (search && `?${search}`), {
      method: route.method,
      headers: {
        'content-type': 'application/json',
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(cookie !== undefined && { cookie }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (reply.status === route.success.status) return reply;
    throw new Error(`${route.id} answered ${reply.status} ${await reply.text()}`);
  }

  async function streamOf(route: Route, { more }: Sample, call: Call) {
    const body = more?.['A stream'];
    return body === undefined ? {} : { stream: madeUp.stream(await (await send(route, { ...call, body })).text()) };
  }

  /** Records a route's first answer; gives what it says in `data`, and the cookie it set. */
  async function record(name: keyof typeof routes, call: Call = {}) {
    const route: Route = routes[name];
    const sample = samples[route.id] ?? {};
    const asked = {
      path: { ...sample.path, ...call.path },
      query: { ...sample.query, ...call.query },
      ...(route.bodyInput && { body: Object.assign({}, sample.body, call.body) }),
    };
    const reply = await send(route, { ...call, ...asked });
    const answer: unknown = await reply.json();
    // Made up in any case: what is told once, such as a key, is met again in later answers.
    const first = { ...Object(madeUp.value(asked)), status: reply.status, answer: madeUp.value(answer) };
    if (!recorded.has(route.id)) {
      const known = Object.keys(headers).filter((header) => reply.headers.has(header));
      recorded.set(route.id, { ...first, headers: known, ...(await streamOf(route, sample, call)) });
    }
    const cookie = reply.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    return { cookie, data: v.is(Envelope, answer) ? answer.data : undefined };
  }

  return { record, answers: (): Answers => v.parse(Answers, Object.fromEntries(recorded)) };
}
