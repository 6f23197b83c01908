import type { ServerResponse } from 'node:http';

/** An error response of S3 (S3 API, "Error responses"). */
export class S3Error extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export function sendXml(res: ServerResponse, status: number, xml: string): void {
  const body = Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n${xml}`);
  res.writeHead(status, { 'content-type': 'application/xml', 'content-length': body.length });
  res.end(body);
}

export function sendError(res: ServerResponse, { status, code, message }: S3Error): void {
  sendXml(res, status, `<Error><Code>${code}</Code><Message>${escaped(message)}</Message></Error>`);
}

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

export const unescaped = (xml: string): string =>
  xml.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
