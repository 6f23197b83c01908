/** What dashboard/content makes of docs at build time. */
declare module 'virtual:reference' {
  export const tags: readonly { readonly name: string; readonly description: string }[];
  export const entries: readonly import('./pages/reference/operation.ts').OperationEntry[];
  export const load: Readonly<
    Record<
      string,
      (() => Promise<{ readonly default: import('./pages/reference/operation.ts').Operation }>) | undefined
    >
  >;
}
