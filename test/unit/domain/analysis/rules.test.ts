import { describe, expect, it } from 'vitest';
import { ruleSpans } from '#domain/analysis/pii-rules.ts';
import { loadPhoneNumbers } from '#gateways/phone-numbers.ts';

const isPhoneNumber = await loadPhoneNumbers();
const found = (text: string) =>
  ruleSpans(text, isPhoneNumber).map(({ type, start, end }) => `${type} ${text.slice(start, end)}`);

describe('a rule', () => {
  it.each([
    ['Write to ada.l+x@mail.example.org.', ['EMAIL ada.l+x@mail.example.org']],
    ['<ada@example.org>, or "bob@x.co"', ['EMAIL ada@example.org', 'EMAIL bob@x.co']],
    ['请写信到ada@example.org谢谢', ['EMAIL ada@example.org']],
    ['문의는 ada@example.org으로', ['EMAIL ada@example.org']],
    ['用户@例子.中国', ['EMAIL 用户@例子.中国']],
    ['jörg@müller.de', ['EMAIL jörg@müller.de']],
    ['почта@пример.рф', ['EMAIL почта@пример.рф']],
    ['a@b, @ada, ada@, ada@host, ada@1.2', []],
    ['Call +1 (212) 555-0187 now', ['PHONE +1 (212) 555-0187']],
    ['+44 20 7946 0958, +33612345678', ['PHONE +44 20 7946 0958', 'PHONE +33612345678']],
    ['0049 151 1234567', ['PHONE 0049 151 1234567']],
    ['＋３３６１２３４５６７８', ['PHONE ＋３３６１２３４５６７８']],
    ['+٩٦٦٥٠١٢٣٤٥٦٧', ['PHONE +٩٦٦٥٠١٢٣٤٥٦٧']],
    ['+999 123 4567 89, +1, 1+2', []],
    ['4111 1111 1111 1111', ['CREDIT_CARD 4111 1111 1111 1111']],
    ['5500-0000-0000-0004!', ['CREDIT_CARD 5500-0000-0000-0004']],
    ['378282246310005 12/27', ['CREDIT_CARD 378282246310005']],
    ['room 12 card 4111111111111111 123', ['CREDIT_CARD 4111111111111111']],
    ['4111 1111 1111 1112', []],
    ['1'.repeat(5000), []],
    ['DE89 3704 0044 0532 0130 00 is mine', ['IBAN DE89 3704 0044 0532 0130 00']],
    ['(GB29NWBK60161331926819)', ['IBAN GB29NWBK60161331926819']],
    ['gb29 nwbk 6016 1331 9268 19', ['IBAN gb29 nwbk 6016 1331 9268 19']],
    ['DE88 3704 0044 0532 0130 00', []],
    ['at 192.0.2.1.', ['IP_ADDRESS 192.0.2.1']],
    ['10.0.0.1:8080', ['IP_ADDRESS 10.0.0.1']],
    [
      '2001:db8::1, [::1] and ::ffff:192.0.2.7',
      ['IP_ADDRESS 192.0.2.7', 'IP_ADDRESS 2001:db8::1', 'IP_ADDRESS ::1', 'IP_ADDRESS ::ffff:192.0.2.7'],
    ],
    ['300.1.1.1, 1.2.3, 1.2.3.4.5, 10:30:00, std::abs, a::b, ::', []],
    ['See https://example.org/a?b=c#d.', ['URL https://example.org/a?b=c#d']],
    ['(www.example.org)', ['URL www.example.org']],
    ['https://en.wikipedia.org/wiki/River_(film)', ['URL https://en.wikipedia.org/wiki/River_(film)']],
    ['http://[2001:db8::1]/x', ['IP_ADDRESS 2001:db8::1', 'URL http://[2001:db8::1]/x']],
    ['https://, www., http://...', []],
  ])('finds in %j what is there', (text, expected) => {
    expect(found(text)).toEqual(expected);
  });
});
