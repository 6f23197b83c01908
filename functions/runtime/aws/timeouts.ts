/**
 * Milliseconds to open a connection. AWS takes a few; the rest is for a laptop whose one process has hundreds to open while it
 * is kept busy, and looks at its timers before it looks at what has come.
 */
export const connectionTimeout = 3000;

/** DynamoDB responds within milliseconds, so a silent connection is given up early. */
export const dynamoTimeout = 5000;
