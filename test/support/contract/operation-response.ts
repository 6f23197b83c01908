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
