import { StreamedResponse } from './streamed-response.ts';

/** What an operation responds with as the bytes of a file, while it is made. */
export class StreamedBytes extends StreamedResponse<Buffer> {
  readonly contentType: string;

  constructor(
    contentType: string,
    chunks: AsyncIterator<Buffer>,
    cost: (isWhole: boolean) => Promise<number>,
    cancel: () => void,
  ) {
    super(chunks, cost, cancel);
    this.contentType = contentType;
  }
}
