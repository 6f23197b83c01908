declare module 'split-sms' {
  const library: {
    split(text: string): { readonly characterSet: 'GSM' | 'Unicode'; readonly parts: readonly unknown[] };
  };
  export default library;
}
