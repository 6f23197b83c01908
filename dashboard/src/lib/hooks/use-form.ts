import { type FormEvent, useRef, useState } from 'react';

type Values = Record<string, unknown>;
type Errors = Readonly<Record<string, string>>;
/** What fields report: their event, or the value itself. */
type Change = { readonly currentTarget: { readonly value: string } } | string | null;

interface FormOptions<V extends Values> {
  readonly initialValues: V;
  /** What is wrong, by field or the path of its part; empty where nothing is. */
  readonly validate: (values: V) => Errors;
}

/** What a field of the form is given. */
interface FieldProps {
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (change: Change) => void;
  readonly 'data-path': string;
}

/** A form. Its fields are checked when it is submitted; a field that is changed loses its error. */
export interface Form<V extends Values> {
  readonly values: V;
  readonly errors: Errors;
  readonly setErrors: (errors: Errors) => void;
  readonly clearFieldError: (name: string) => void;
  readonly setValues: (values: Partial<V>) => void;
  readonly setFieldValue: <Name extends keyof V & string>(name: Name, value: V[Name]) => void;
  readonly reset: () => void;
  /** For a field of text. */
  readonly getInputProps: (name: keyof V & string) => FieldProps;
  /** The element of a field. */
  readonly getInputNode: (name: string) => HTMLElement | null;
  readonly onSubmit: (
    onValid: (values: V) => void,
    onInvalid?: (errors: Errors) => void,
  ) => (event?: FormEvent<HTMLFormElement>) => void;
}

/** The field of an error, which may be of a part of it: "rules" of "rules.0.value". */
const fieldOf = (path: string): string => path.split('.')[0] ?? '';

/** A library for forms of any depth would be a tenth of what the sign-in page loads. */
export function useForm<V extends Values>({ initialValues, validate }: FormOptions<V>): Form<V> {
  const [values, show] = useState(initialValues);
  const [errors, setErrors] = useState<Errors>({});
  // A submission sees what was set just before it.
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
