import { expect, test } from 'vitest';
import { csvRow, recipientColumns } from './csv.ts';

/** Splits a row as a spreadsheet does whose list separator is this one: quotes count only at the beginning of a cell. */
function cellsOf(file: string, separator: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let at = 0; at < file.length; at += 1) {
    const character = file[at] as string;
    if (isQuoted && character === '"' && file[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else if (isQuoted && character === '"') isQuoted = false;
    else if (!isQuoted && cell === '' && character === '"') isQuoted = true;
    else if (!isQuoted && (character === separator || character === '\n' || character === '\r')) {
      cells.push(cell);
      cell = '';
    } else cell += character;
  }
  return [...cells, cell];
}

/** What remains of a cell once a spreadsheet has dropped blanks, control characters and invisible ones. */
const seen = (cell: string): string => cell.replace(/^[\s\p{C}\p{Default_Ignorable_Code_Point}"]+/u, '');
const RUNS = /^[=+\-@−⁺⁻⁼₊₋₌﹢﹣﹦﹫＝＋－＠]/u;

const STARTS = [
  '=1+1',
  '+1+cmd|x',
  '-2',
  '@SUM(A1)',
  '＝1',
  '＋1',
  '－1',
  '＠a',
  '−1',
  '﹦1',
  '﹢1',
  '+',
  '+1 415',
];
const BEFORE = [
  '',
  ' ',
  '\u00A0',
  '\t',
  '\r',
  '\n',
  '\r\n',
  '\u200B',
  '\uFEFF',
  '\u202E',
  '\u3164',
  '\u0001',
];
const MIDDLES = ['', 'Mozilla/5.0 (X11;', 'a\t', 'a\n', 'a\r\n', 'a|', 'a";', 'a;"', ';;', 'a; ', '"\n'];
const texts = MIDDLES.flatMap((middle) =>
  BEFORE.flatMap((before) => STARTS.map((start) => `${middle}${before}${start}`)),
);

test.each([',', ';', '\t', '|'])(
  'no exported text becomes a formula in a spreadsheet that separates cells by %j',
  (separator) => {
    const running = texts.filter((text) =>
      cellsOf(csvRow([7, 'id', text, null, 'last']).trimEnd(), separator).some((cell) => {
        // Numbers come from the service.
        return RUNS.test(seen(cell));
      }),
    );
    expect(running).toEqual([]);
  },
);

/** The steps that the documentation gives to programs. */
const read = (cell: string): string => cell.replace(/(^|[;|\t\n])'/g, '$1');

test('removing one apostrophe wherever a cell may begin restores an exported text', () => {
  const more = ["it's", "'quoted'", "';'", "a;'b", '000123', '447400123456789', '1e5', 'say "hi"', 'a,b', ''];
  for (const text of [...texts, ...more]) {
    const [, cell = ''] =
      cellsOf(csvRow([1, text]).slice(0, -2), ',')
        .join('\n')
        .match(/^1\n([\s\S]*)$/) ?? [];
    expect(read(cell)).toBe(text.replace(/\r\n?/g, '\n'));
  }
});

test('CSV texts and headers are quoted, numbers and booleans are not', () => {
  expect(csvRow(['a', 'b,c', 'say "hi"', 'two\r\nlines', '', null, 7, -1.5, true])).toBe(
    '"a","b,c","say ""hi""","two\nlines","",,7,-1.5,true\r\n',
  );
});

test('a spreadsheet neither rounds long numbers nor drops zeros nor shows exponents', () => {
  expect(csvRow(['447400123456', '00123', '1E5', '1.5e300'])).toBe(
    `"'447400123456","'00123","'1E5","'1.5e300"\r\n`,
  );
});

test('ids, times and ordinary texts are exported unchanged', () => {
  const plain = ['01920000-0000-7000-8000-00000000000a', '2026-11-25T04:00:00.000Z', 'a-b; c', "it's"];
  expect(csvRow(plain)).toBe(`${plain.map((text) => `"${text}"`).join(',')}\r\n`);
});

test('an exported recipient has an exact column for programs and a readable column for spreadsheets', () => {
  const columns = recipientColumns((recipient: string | null) => recipient);
  const row = (recipient: string | null) => csvRow(columns.map(({ cell }) => cell(recipient)));
  expect(csvRow(columns.map(({ header }) => header))).toBe('"recipient","recipient_text"\r\n');
  expect(row('+447400123456')).toBe('"+447400123456","tel:+447400123456"\r\n');
  expect(row('ann@example.com')).toBe('"ann@example.com","ann@example.com"\r\n');
  expect(row('+1@example.com')).toBe(`"'+1@example.com","'+1@example.com"\r\n`);
  expect(row(null)).toBe(',\r\n');
});

test('a text full of separators is escaped in linear time', () => {
  const began = performance.now();
  csvRow(['\n'.repeat(200_000), ' '.repeat(200_000), ';\u200B'.repeat(100_000)]);
  expect(performance.now() - began).toBeLessThan(2_000);
});
