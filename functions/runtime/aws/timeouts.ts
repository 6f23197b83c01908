/** Milliseconds. AWS connects within a few ms; the margin is for a busy local process. */
export const connectionTimeout = 3000;

/** DynamoDB responds within milliseconds, so a silent connection is abandoned early. In ms. */
export const dynamoTimeout = 5000;
