import type { IncomingMessage, ServerResponse } from 'node:http';
import { S3Error } from './s3-error.ts';

/** The CORS rule of a bucket: these pages send forms to it, and nothing else (S3 "Using cross-origin resource sharing"). */
export function corsRule(bucket: string, origins: readonly string[]) {
  /** Of the form, or of the preflight before it. */
  function allows({ method = '', url = '', headers: { origin = '' } }: IncomingMessage): boolean {
    const isForm = ['POST', 'OPTIONS'].includes(method) && [`/${bucket}`, `/${bucket}/`].includes(url);
    return isForm && origins.includes(origin);
  }

  /** Also of a refusal, which the page is to read. */
  function setHeaders({ headers: { origin = '' } }: IncomingMessage, res: ServerResponse): void {
    res.setHeader('access-control-allow-origin', origin);
    res.setHeader('access-control-allow-methods', 'POST');
    res.setHeader('vary', 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method');
  }

  function sendPreflight(req: IncomingMessage, res: ServerResponse): void {
    const { 'access-control-request-method': method, 'access-control-request-headers': names = '' } = req.headers;
    if (!allows(req) || method !== 'POST' || names !== '')
      throw new S3Error(403, 'AccessForbidden', 'CORSResponse: This CORS request is not allowed.');
    res.setHeader('access-control-max-age', '3600');
    res.writeHead(200).end();
  }

  return { allows, setHeaders, sendPreflight };
}
