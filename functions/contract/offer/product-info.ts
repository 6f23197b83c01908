import { offer } from './current-offer.ts';

const { name, links, supportEmail } = offer.product;

/** The product's part of the API document's `info`. */
export const productInfo = {
  title: name,
  ...(links.terms !== undefined && { termsOfService: links.terms }),
  ...(supportEmail !== null && { contact: { name, email: supportEmail } }),
};
