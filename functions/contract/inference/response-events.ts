import * as v from 'valibot';
import { whole } from '../shared/fields.ts';
import { OutputItem, OutputTextPart, ResponseObject, SummaryPart } from './response-items.ts';

/** Events of a response's stream, in the order of `sequence_number`. */

const about = { sequence_number: whole };
const ofItem = { ...about, output_index: whole };
const within = { ...ofItem, item_id: v.string() };
const content = { ...within, content_index: whole };
const summary = { ...within, summary_index: whole };
const logprobs = v.array(v.never());

const lifecycle = v.object({
  type: v.picklist([
    'response.created',
    'response.in_progress',
    'response.completed',
    'response.incomplete',
    'response.failed',
  ]),
  ...about,
  response: ResponseObject,
});

const failure = {
  message: v.string(),
  param: v.nullable(v.string()),
  code: v.nullable(v.string()),
};

export const ResponseEvent = v.variant('type', [
  lifecycle,
  v.object({
    type: v.picklist(['response.output_item.added', 'response.output_item.done']),
    ...ofItem,
    item: OutputItem,
  }),
  v.object({
    type: v.picklist(['response.content_part.added', 'response.content_part.done']),
    ...content,
    part: OutputTextPart,
  }),
  v.object({ type: v.literal('response.output_text.delta'), ...content, delta: v.string(), logprobs }),
  v.object({ type: v.literal('response.output_text.done'), ...content, text: v.string(), logprobs }),
  v.object({
    type: v.picklist(['response.reasoning_summary_part.added', 'response.reasoning_summary_part.done']),
    ...summary,
    part: SummaryPart,
  }),
  v.object({ type: v.literal('response.reasoning_summary_text.delta'), ...summary, delta: v.string() }),
  v.object({ type: v.literal('response.reasoning_summary_text.done'), ...summary, text: v.string() }),
  v.object({ type: v.literal('response.function_call_arguments.delta'), ...within, delta: v.string() }),
  v.object({
    type: v.literal('response.function_call_arguments.done'),
    ...within,
    name: v.string(),
    arguments: v.string(),
  }),
  v.object({
    type: v.literal('error'),
    ...about,
    ...failure,
    error: v.object({ type: v.string(), ...failure }),
  }),
]);
