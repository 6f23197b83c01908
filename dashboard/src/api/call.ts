import type { Route } from '#contract/http/route.ts';
import { openEnvelope } from './http/envelope.ts';
import { type ApiResponse, type Data, type DataRoute, readResponse, textOf } from './http/response.ts';
import type { Input, SendOptions } from './http/send.ts';
import { request } from './request.ts';

export async function callWithHeaders<R extends DataRoute>(
  route: R,
  input: Input<R>,
  options?: SendOptions,
): Promise<ApiResponse<Data<R>>> {
  return readResponse(route, await request(route, input, options));
}

/** The data of a route's response; throws an ApiError. */
export async function call<R extends DataRoute>(route: R, input: Input<R>, options?: SendOptions): Promise<Data<R>> {
  return (await callWithHeaders(route, input, options)).data;
}

/** Runs an operation whose response has no data; throws an ApiError. */
export async function perform<R extends Route>(route: R, input: Input<R>, options?: SendOptions): Promise<void> {
  const response = await request(route, input, options);
  openEnvelope(await textOf(response), response.headers);
}
