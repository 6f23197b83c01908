export const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text);
