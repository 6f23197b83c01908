import { t } from '@lingui/core/macro';
import { useEffect, useRef, useState } from 'react';
import { isJson } from '#contract/shared/json.ts';
import { documentAccount, headerOfOrganization } from '../../api/account.ts';
import { confirmAccount } from '../../api/call.ts';
import { withPlaygroundKey } from '../../api/keys.ts';
import { ApiError } from '../../api/response.ts';
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
function targetOf({ operation, values }: SampleRequest): string {
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

const headersOf = ({ operation, values }: SampleRequest): [name: string, value: string][] =>
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

/** Sends one request at a time. */
export function useTrial() {
  const [response, setResponse] = useState<TrialResponse>();
  const [failure, setFailure] = useState<string>();
  const [isRunning, setRunning] = useState(false);
  const control = useRef<AbortController>(undefined);
  useEffect(() => () => control.current?.abort(), []);

  async function send(request: SampleRequest, credential: TrialCredential): Promise<void> {
    const { signal } = (control.current = new AbortController());
    setResponse(undefined);
    setFailure(undefined);
    setRunning(true);
    try {
      await runTrial(request, credential, signal, setResponse);
    } catch (error) {
      if (signal.aborted) setFailure(t`Stopped.`);
      else
        setFailure(error instanceof ApiError ? error.message : t`The request failed, or its response was interrupted.`);
    } finally {
      setRunning(false);
    }
  }

  return { response, failure, isRunning, send, stop: () => control.current?.abort() };
}

/** An entered key, a key created for this request that expires after 15 minutes, the session, or nothing. */
export type TrialCredential =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'temporary' | 'session' | 'none' };

export interface TrialResponse {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  /** The part of the body received so far, at most `maxShownCharacters`. */
  readonly text: string;
  /** Characters beyond that maximum. */
  readonly omitted: number;
  readonly isComplete: boolean;
  readonly ms: number;
}

const maxShownCharacters = 100_000;

/** Sends a request to this origin and reports its response as it arrives. Rejects if the response breaks off. */
async function runTrial(
  request: SampleRequest,
  credential: TrialCredential,
  signal: AbortSignal,
  onProgress: (response: TrialResponse) => void,
): Promise<void> {
  if (credential.kind === 'temporary')
    return withPlaygroundKey((key) => sendTrial(request, key, false, signal, onProgress));
  // Another tab may have changed the session cookie's account.
  if (credential.kind === 'session' && documentAccount() !== undefined) await confirmAccount();
  const key = credential.kind === 'key' ? credential.key : undefined;
  return sendTrial(request, key, credential.kind !== 'key', signal, onProgress);
}

async function sendTrial(
  request: SampleRequest,
  key: string | undefined,
  hasCookie: boolean,
  signal: AbortSignal,
  onProgress: (response: TrialResponse) => void,
): Promise<void> {
  const { operation, body } = request;
  const began = performance.now();
  const hasBody = operation.body !== null && body.trim() !== '';
  const response = await fetch(targetOf(request), {
    method: operation.method,
    headers: {
      ...(hasCookie && key === undefined && headerOfOrganization()),
      ...Object.fromEntries(headersOf(request)),
      ...(hasBody && { 'content-type': 'application/json' }),
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
    credentials: hasCookie ? 'same-origin' : 'omit',
    redirect: 'error',
    signal,
    ...(hasBody && { body }),
  });
  const { status } = response;
  const headers = [...response.headers];
  let text = '';
  let omitted = 0;
  const report = (isComplete: boolean): void =>
    onProgress({ status, headers, text, omitted, isComplete, ms: performance.now() - began });
  report(false);
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const room = Math.max(0, maxShownCharacters - text.length);
    text += piece.slice(0, room);
    omitted += Math.max(0, piece.length - room);
    report(false);
  }
  report(true);
}
