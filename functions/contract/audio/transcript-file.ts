/** Bytes of a model's reply for long audio, and of the text that is kept of it: words of a day, with their times. */
export const maxTranscriptBytes = 32 * 1024 * 1024;
