/** Where an account's page is. */
export const accountPath = (id: number | string): string => `/operator?account=${id}`;
