import { responseFormats } from '#contract/http/format.ts';
import { errorCodesOf } from '#contract/http/route-errors.ts';
import { type Route } from '#contract/http/route.ts';
import { type ErrorCode, errorStatus } from '#contract/shared/errors.ts';
import { errorCauses } from './error-causes.ts';
import { errorHeaders } from './headers.ts';

const string = { type: 'string' };
const stringOrNull = { type: ['string', 'null'] };

/** An error in either format. Each response narrows `status` and `message`. */
export const errorSchemas = {
  Error: {
    type: 'object',
    description:
      'An error: the four fields of every response, and `detail`, a sentence that names the field and the rule.',
    properties: {
      message: { type: 'string', enum: Object.keys(errorStatus), description: 'The code of the error.' },
      error: { const: true },
      data: { type: 'null' },
      status: { type: 'integer', description: 'The HTTP status.' },
      detail: { type: 'string', description: 'A sentence that explains the error.' },
    },
    required: ['message', 'error', 'data', 'status', 'detail'],
    additionalProperties: false,
  },
  OpenAiError: {
    type: 'object',
    description: "An error as OpenAI's clients read it.",
    properties: {
      error: {
        type: 'object',
        properties: { message: string, type: string, param: stringOrNull, code: stringOrNull },
        required: ['message', 'type', 'param', 'code'],
        additionalProperties: false,
      },
    },
    required: ['error'],
    additionalProperties: false,
  },
};

export const errorSchemaOf = ({ format }: Pick<Route, 'format'>) => ({
  $ref: `#/components/schemas/${format === 'openai' ? 'OpenAiError' : 'Error'}`,
});

/** Collects error responses. Operations with the same codes share one, named after them. */
export function errorCollector() {
  const responses = new Map<string, object>();

  function responsesOf(route: Route): Record<string, { $ref: string }> {
    const byStatus = Map.groupBy(errorCodesOf(route), (code) => errorStatus[code]);
    return Object.fromEntries(
      [...byStatus].map(([status, codes]) => {
        const name = [
          route.format,
          ...(route.priced && (status === 402 || status === 429) ? ['priced'] : []),
          ...codes,
        ];
        const key = name.filter((part) => part !== 'envelope').join('.');
        responses.set(key, responseOf(route, status, codes));
        return [String(status), { $ref: `#/components/responses/${key}` }];
      }),
    );
  }

  return { responses, responsesOf };
}

function responseOf(route: Route, status: number, codes: readonly ErrorCode[]) {
  const narrowed = { type: 'object', properties: { message: { enum: codes }, status: { const: status } } };
  const schema = route.format === 'openai' ? errorSchemaOf(route) : { allOf: [errorSchemaOf(route), narrowed] };
  return {
    description: codes.map((code) => `\`${code}\`: ${errorCauses[code].cause}.`).join('\n\n'),
    headers: errorHeaders(route, codes),
    content: { 'application/json': { schema, examples: examplesOf(route, codes) } },
  };
}

function examplesOf({ format }: Route, codes: readonly ErrorCode[]) {
  const value = (code: ErrorCode) => responseFormats[format].error({ code, detail: errorCauses[code].detail });
  return Object.fromEntries(codes.map((code) => [code, { value: value(code) }]));
}
