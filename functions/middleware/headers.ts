import type { APIGatewayProxyEvent } from 'aws-lambda';

/** All values a header came with, whatever the case of its name. */
export function headerValues(event: APIGatewayProxyEvent, name: string): string[] {
  const headers = event.multiValueHeaders ?? {};
  const values: string[] = [];
  for (const header of Object.keys(headers)) {
    if (header.length === name.length && header.toLowerCase() === name) values.push(...(headers[header] ?? []));
  }
  return values;
}

/** All values of a cookie, the one for the longest path first (RFC 6265, section 5.4); none when it is not sent. */
export function cookieValues(event: APIGatewayProxyEvent, name: string): string[] {
  const pairs = headerValues(event, 'cookie').flatMap((header) => header.split(';'));
  const texts = pairs.map((text) => text.trim()).filter((text) => text.startsWith(`${name}=`));
  return texts.map((text) => text.slice(name.length + 1));
}
