import { type FormEvent, useState } from 'react';
import type { GenericSchema } from 'valibot';
import type { Route } from '#contract/http/route.ts';
import { type Form, useForm } from '../../lib/hooks/use-form.ts';
import { type ApiError, type FailureCode, toApiError } from '../http/api-error.ts';
import { useAction } from '../use-data.ts';
import { type Labels, refusalErrors, schemaErrors } from './form-errors.ts';

interface ApiFormOptions<Values, Result> {
  readonly initial: Values;
  /** The contract's, so that mistakes are shown before they are sent, by the same rules. */
  readonly schema: GenericSchema;
  /** Labels of the schema's fields. */
  readonly labels: Labels;
  readonly act: (values: Values) => Promise<Result>;
  readonly onDone: (result: Result, values: Values) => void;
  readonly invalidates?: readonly Route[];
  /** Where a refusal of this code is shown whose sentence names no field, and a text that fits better there. */
  readonly fieldOf?: Readonly<Partial<Record<FailureCode, { readonly field: string; readonly text?: string }>>>;
}

export interface ApiForm<Values extends Record<string, unknown>> {
  readonly form: Form<Values>;
  readonly submit: (event?: FormEvent<HTMLFormElement>) => void;
  readonly isRunning: boolean;
  /** A refusal that belongs to no field. */
  readonly error: ApiError | null;
}

/** A form that sends its values to the API; what is wrong stands next to its field. */
export function useApiForm<Values extends Record<string, unknown>, Result>(
  options: ApiFormOptions<Values, Result>,
): ApiForm<Values> {
  const { initial, schema, labels, act, onDone, invalidates, fieldOf = {} } = options;
  const [error, setError] = useState<ApiError | null>(null);
  const form = useForm<Values>({
    initialValues: initial,
    validate: (values) => schemaErrors(schema, values, labels),
  });

  const action = useAction(async (values: Values) => {
    try {
      return { result: await act(values) };
    } catch (thrown) {
      show(toApiError(thrown));
      throw thrown;
    }
  }, invalidates);

  function show(refusal: ApiError): void {
    const place = fieldOf[refusal.code];
    const errors = place ? { [place.field]: place.text ?? refusal.message } : refusalErrors(refusal, labels);
    const [first] = Object.keys(errors);
    if (first === undefined) return setError(refusal);
    form.setErrors(errors);
    form.getInputNode(first)?.focus();
  }

  const submit = form.onSubmit(
    (values) => {
      setError(null);
      void action.run(values).then((done) => done && onDone(done.result, values));
    },
    (errors) => form.getInputNode(Object.keys(errors)[0] ?? '')?.focus(),
  );

  return { form, submit, isRunning: action.isRunning, error };
}
