/** One event of a `text/event-stream`, its data as JSON. */
export const serverSentEvent = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;
