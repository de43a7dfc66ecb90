import { expect, test } from 'vitest';
import { toCsv } from './ChartPanel.tsx';

test('the Insights CSV quotes texts, prevents formulas and keeps numbers as numbers', () => {
  const rows = [
    ['=HYPERLINK("x")', -3, null],
    ['a, "b"', 0.5, '2026-11-21'],
  ];
  expect(toCsv({ head: ['Key', 'Sent', 'Day'], rows })).toBe(
    '\uFEFF"Key","Sent","Day"\r\n"\'=HYPERLINK(""x"")",-3,\r\n"a, ""b""",0.5,"2026-11-21"\r\n',
  );
});
