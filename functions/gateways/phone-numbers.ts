/** libphonenumber-js with its smallest metadata: the codes of countries and how long their numbers are. It is loaded when a text first needs it. */
export async function loadPhoneNumbers(): Promise<(international: string) => boolean> {
  const { default: parse } = await import('libphonenumber-js/min');
  return (international) => parse(international, { extract: false })?.isPossible() ?? false;
}
