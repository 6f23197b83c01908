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

/** The value of a cookie; undefined when it is not sent. */
export function cookieValue(event: APIGatewayProxyEvent, name: string): string | undefined {
  const pairs = headerValues(event, 'cookie').flatMap((header) => header.split(';'));
  const pair = pairs.map((text) => text.trim()).find((text) => text.startsWith(`${name}=`));
  return pair?.slice(name.length + 1);
}
