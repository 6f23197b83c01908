import * as v from 'valibot';
import type { Route } from '#contract/route.ts';
import { ApiError } from './api-error.ts';
import { openEnvelope } from './envelope.ts';
import { type Input, type SendOptions, send } from './send.ts';

/** A route whose answers carry `data`. */
export type DataRoute = Route & { readonly output: v.GenericSchema };
export type Data<R extends DataRoute> = v.InferOutput<R['output']>;

/** An answer's data with what its headers tell. */
export interface Answer<Data> {
  readonly data: Data;
  readonly headers: Headers;
  /** The body as it came. */
  readonly text: string;
}

export async function ask<R extends DataRoute>(
  route: R,
  input: Input<R>,
  options?: SendOptions,
): Promise<Answer<Data<R>>> {
  const { headers, text } = await answerOf(await send(route, input, options));
  const read = v.safeParse(route.output, openEnvelope(text, headers).data);
  if (!read.success) throw new ApiError('BROKEN_ANSWER', `The answer to ${route.id} is not what this page expects.`);
  return { data: read.output, headers, text };
}

/** The data of a route's answer; throws an ApiError. */
export async function call<R extends DataRoute>(route: R, input: Input<R>, options?: SendOptions): Promise<Data<R>> {
  return (await ask(route, input, options)).data;
}

/** Runs an operation whose answer has no data; throws an ApiError. */
export async function perform<R extends Route>(route: R, input: Input<R>, options?: SendOptions): Promise<void> {
  const { headers, text } = await answerOf(await send(route, input, options));
  openEnvelope(text, headers);
}

async function answerOf(response: Response): Promise<{ headers: Headers; text: string }> {
  try {
    return { headers: response.headers, text: await response.text() };
  } catch {
    throw new ApiError('UNREACHABLE', 'The connection broke before the whole answer came. Try again.');
  }
}
