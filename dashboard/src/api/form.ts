import { type FormEvent, useRef, useState } from 'react';
import type { GenericSchema } from 'valibot';
import type { Route } from '#contract/http/route.ts';
import { useAction } from './actions.ts';
import { type Labels, refusalErrors, schemaErrors } from './form-errors.ts';
import { type ApiError, type FailureCode, toApiError } from './response.ts';

export interface ApiFormOptions<Values, Result> {
  readonly initial: Values;
  /** The contract's schema, so that mistakes are shown before the request, by the same rules. */
  readonly schema: GenericSchema;
  readonly labels: Labels;
  readonly act: (values: Values) => Promise<Result>;
  readonly onDone: (result: Result, values: Values) => void;
  readonly invalidates?: readonly Route[];
  /** Fields for refusals whose message names no field, by code, with an optional replacement for the message. */
  readonly fieldOf?: Readonly<Partial<Record<FailureCode, { readonly field: string; readonly text?: string }>>>;
}

export interface ApiForm<Values extends Record<string, unknown>> {
  readonly form: Form<Values>;
  readonly submit: (event?: FormEvent<HTMLFormElement>) => void;
  readonly isRunning: boolean;
  /** A refusal that belongs to no field. */
  readonly error: ApiError | null;
}

/** A form that sends its values to the API. Errors are shown at their fields. */
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

type Values = Record<string, unknown>;
type Errors = Readonly<Record<string, string>>;
/** Argument of a field's `onChange`: its event, or the value itself. */
type Change = { readonly currentTarget: { readonly value: string } } | string | null;

interface FormOptions<V extends Values> {
  readonly initialValues: V;
  /** Returns errors by field, or by path of a part of a field. Empty if all values are valid. */
  readonly validate: (values: V) => Errors;
}

interface FieldProps {
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (change: Change) => void;
  readonly 'data-path': string;
}

/** A form. Its fields are validated on submit. A change clears the error of its field. */
export interface Form<V extends Values> {
  readonly values: V;
  readonly errors: Errors;
  readonly setErrors: (errors: Errors) => void;
  readonly clearFieldError: (name: string) => void;
  readonly setValues: (values: Partial<V>) => void;
  readonly setFieldValue: <Name extends keyof V & string>(name: Name, value: V[Name]) => void;
  readonly reset: () => void;
  readonly getInputProps: (name: keyof V & string) => FieldProps;
  readonly getInputNode: (name: string) => HTMLElement | null;
  readonly onSubmit: (
    onValid: (values: V) => void,
    onInvalid?: (errors: Errors) => void,
  ) => (event?: FormEvent<HTMLFormElement>) => void;
}

/** Returns the field of an error path: "rules" for "rules.0.value". */
const fieldOf = (path: string): string => path.split('.')[0] ?? '';

/** A form library would add a tenth to the load of the sign-in page. */
export function useForm<V extends Values>({ initialValues, validate }: FormOptions<V>): Form<V> {
  const [values, show] = useState(initialValues);
  const [errors, setErrors] = useState<Errors>({});
  // A submission uses values set just before it, which the state does not contain yet.
  const latest = useRef(values);

  function setValues(changed: Partial<V>): void {
    latest.current = { ...latest.current, ...changed };
    show(latest.current);
    setErrors((known) => Object.fromEntries(Object.entries(known).filter(([path]) => !(fieldOf(path) in changed))));
  }
  const clearFieldError = (name: string): void => setErrors(({ [name]: _cleared, ...others }) => others);

  function setFieldValue(name: keyof V & string, value: unknown): void {
    const changed: Partial<V> = {};
    Object.assign(changed, { [name]: value });
    setValues(changed);
  }

  return {
    values,
    errors,
    setErrors,
    clearFieldError,
    setValues,
    setFieldValue,
    reset() {
      latest.current = initialValues;
      show(initialValues);
      setErrors({});
    },
    getInputProps: (name) => ({
      value: String(values[name] ?? ''),
      error: errors[name],
      onChange: (change) =>
        setFieldValue(name, typeof change === 'string' ? change : (change?.currentTarget.value ?? '')),
      'data-path': name,
    }),
    getInputNode: (name) => document.querySelector<HTMLElement>(`[data-path="${CSS.escape(name)}"]`),
    onSubmit: (onValid, onInvalid) => (event) => {
      event?.preventDefault();
      const found = validate(latest.current);
      setErrors(found);
      if (Object.keys(found).length === 0) onValid(latest.current);
      else onInvalid?.(found);
    },
  };
}
