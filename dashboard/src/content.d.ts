/** Modules that dashboard/content generates from docs at build time. */
declare module 'virtual:guides' {
  export const entries: readonly import('./pages/guides/guide.ts').GuideEntry[];
  export const load: Readonly<
    Record<string, (() => Promise<{ readonly default: import('./pages/guides/guide.ts').Guide }>) | undefined>
  >;
}

declare module 'virtual:guide-search' {
  const entries: readonly import('./pages/guides/guide.ts').SearchEntry[];
  export default entries;
}

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
