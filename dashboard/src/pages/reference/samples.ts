import type { CredentialKind, Operation } from './operation.ts';

export interface SampleRequest {
  readonly operation: Operation;
  /** Path, query and header parameters by name. */
  readonly values: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Sample {
  readonly id: string;
  readonly title: string;
  readonly code: string;
}

/** Path with parameters and query. A path parameter without a value keeps its placeholder. */
export function targetOf({ operation, values }: SampleRequest): string {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    values[name] ? encodeURIComponent(values[name]) : whole,
  );
  const query = new URLSearchParams(
    operation.parameters.flatMap(({ name, in: place }) =>
      place === 'query' && values[name] ? [[name, values[name]]] : [],
    ),
  );
  return query.size > 0 ? `${path}?${query.toString()}` : path;
}

export const headersOf = ({ operation, values }: SampleRequest): [name: string, value: string][] =>
  operation.parameters.flatMap(({ name, in: place }): [string, string][] =>
    place === 'header' && values[name] ? [[name, values[name]]] : [],
  );

/** Environment variable of each credential. A session token works as a Bearer value too. */
const variables: Readonly<Record<CredentialKind, string | undefined>> = {
  key: 'API_KEY',
  session: 'SESSION',
  none: undefined,
};

/** Returns the request in three languages. They read the credential from a variable. */
export function samplesOf(origin: string, request: SampleRequest): Sample[] {
  const { operation } = request;
  const body = operation.body === null ? '' : request.body.trim();
  const parts: Parts = {
    method: operation.method,
    url: origin + targetOf(request),
    variable: variables[operation.credentials[0] ?? 'none'],
    headers: [...headersOf(request), ...(body === '' ? [] : ([['Content-Type', 'application/json']] as const))],
    body,
    isStream: /"stream":\s*true/.test(body),
  };
  return [
    { id: 'curl', title: 'cURL', code: curl(parts) },
    { id: 'javascript', title: 'JavaScript', code: javaScript(parts) },
    { id: 'python', title: 'Python', code: python(parts) },
  ];
}

interface Parts {
  readonly method: string;
  readonly url: string;
  readonly variable: string | undefined;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Empty if the request has no body. */
  readonly body: string;
  readonly isStream: boolean;
}

function curl({ method, url, variable, headers, body, isStream }: Parts): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  // With a body, curl defaults to POST.
  const isUsual = method === (body === '' ? 'GET' : 'POST');
  return [
    `curl ${isStream ? '-N ' : ''}${isUsual ? '' : `-X ${method} `}${quoted(url)}`,
    ...(variable === undefined ? [] : [`-H "Authorization: Bearer $${variable}"`]),
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === '' ? [] : [`-d ${quoted(body)}`]),
  ].join(' \\\n  ');
}

function javaScript({ method, url, variable, headers, body, isStream }: Parts): string {
  const lines = [
    ...(variable === undefined ? [] : [`Authorization: \`Bearer \${process.env.${variable}}\`,`]),
    ...headers.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)},`),
  ];
  const options = [
    `method: '${method}',`,
    ...(lines.length > 0 ? ['headers: {', ...lines.map((line) => `  ${line}`), '},'] : []),
    ...(body === '' ? [] : [`body: ${isJson(body) ? `JSON.stringify(${body})` : JSON.stringify(body)},`]),
  ];
  const read = isStream
    ? 'for await (const text of response.body.pipeThrough(new TextDecoderStream())) process.stdout.write(text);'
    : 'console.log(response.status, await response.text());';
  return `const response = await fetch(${JSON.stringify(url)}, {\n${indented(options, 2)}\n});\n${read}`;
}

function python({ method, url, variable, headers, body }: Parts): string {
  const lines = [
    ...(variable === undefined ? [] : [`"Authorization": "Bearer " + os.environ["${variable}"],`]),
    ...headers.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)},`),
  ];
  const options = [
    `${JSON.stringify(url)},`,
    `method="${method}",`,
    ...(lines.length > 0 ? ['headers={', ...lines.map((line) => `    ${line}`), '},'] : []),
    ...(body === '' ? [] : ['data=BODY.encode(),']),
  ];
  // A raw string, since the escapes are JSON's. JSON cannot contain three quotes in a row.
  const text = body === '' ? '' : `BODY = r"""${body}"""\n\n`;
  return `import os, urllib.request

${text}request = urllib.request.Request(\n${indented(options, 4)}\n)
with urllib.request.urlopen(request) as response:
    for line in response:
        print(line.decode(), end="")`;
}

const indented = (parts: readonly string[], by: number): string =>
  parts
    .join('\n')
    .split('\n')
    .map((line) => ' '.repeat(by) + line)
    .join('\n');

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
