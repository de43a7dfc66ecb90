import { expect, test } from 'vitest';
import { csvRow } from './csv.ts';

test('cells with commas, quotes or line breaks are quoted, and each CRLF ends a row', () => {
  expect(csvRow(['a', 'b,c', 'say "hi"', 'two\r\nlines', '', null, 7, -1.5, true])).toBe(
    'a,"b,c","say ""hi""","two\nlines",,,7,-1.5,true\r\n',
  );
});

test.each(['=1+1', '+1+cmd|x', '-2', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', '+', '+1 415'])(
  'a spreadsheet shows the text %j instead of running it',
  (text) => {
    const [row = ''] = [csvRow([text])];
    expect(row.replace(/^"/, '').startsWith("'")).toBe(true);
  },
);

test('a formula within quotes stays a text', () => {
  expect(csvRow(['=HYPERLINK("http://x","y")'])).toBe(`"'=HYPERLINK(""http://x"",""y"")"\r\n`);
});

test('phone numbers in E.164 stay as they are', () => {
  expect(csvRow(['+14155552671', '+4915112345678'])).toBe('+14155552671,+4915112345678\r\n');
});
