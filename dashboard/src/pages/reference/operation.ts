/** A field of a body, or a parameter. */
export interface Field {
  readonly name: string;
  /** "integer", "list of objects", "string or null". */
  readonly type: string;
  readonly isRequired: boolean;
  readonly text?: string;
  /** "0 to 2", "1 to 64 characters", "default 1". */
  readonly rules: readonly string[];
  /** Kinds of nested object: one, or several with titles such as "role: user". */
  readonly kinds: readonly FieldGroup[];
}

export interface FieldGroup {
  readonly title: string;
  readonly fields: readonly Field[];
}

export interface Parameter extends Field {
  readonly in: 'path' | 'query' | 'header';
  readonly example: string;
}

export interface Example {
  readonly name: string;
  /** JSON, or the text of an event stream. */
  readonly value: string;
}

export interface ResponseEntry {
  readonly status: string;
  /** Meaning of the status; for an error, each code with its cause. */
  readonly causes: readonly { readonly code: string; readonly text: string }[];
  readonly headers: readonly string[];
  /** Fields of `data`; below /openai/v1, of the whole body. */
  readonly groups: readonly FieldGroup[];
  readonly examples: readonly Example[];
}

/** Credentials that an operation accepts. */
export type CredentialKind = 'key' | 'session' | 'none';

export interface OperationEntry {
  /** Operation id in docs/openapi.json, used as the URL's hash. */
  readonly id: string;
  readonly tag: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
}

export interface Operation extends OperationEntry {
  readonly description: string;
  readonly credentials: readonly CredentialKind[];
  readonly parameters: readonly Parameter[];
  readonly body: {
    readonly description: string;
    readonly groups: readonly FieldGroup[];
    readonly examples: readonly Example[];
  } | null;
  readonly responses: readonly ResponseEntry[];
}
