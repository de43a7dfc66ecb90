/** Reads the rows of a file of known recipients: CSV, or the JSON of `firebase auth:export`. */

/** A row of the file, with its number from 1. */
export interface FileRow {
  row: number;
  recipient: string;
  verified_at?: string;
}

export const FILE_ROWS_MAX = 100_000;

const RECIPIENT_NAMES = new Set(['recipient', 'phone', 'phonenumber', 'phone_number', 'email']);
const DATE_NAMES = new Set([
  'verified_at',
  'verifiedat',
  'date',
  'lastsignedinat',
  'last_signed_in_at',
  'createdat',
  'created_at',
]);

/** Throws an error with a sentence for the user if the file cannot be read at all. */
export function rowsOfFile(bytes: Uint8Array): FileRow[] {
  const text = textOf(bytes);
  const rows = /^\s*[{[]/.test(text) ? rowsOfJson(text) : rowsOfCsv(text);
  if (rows.length === 0) throw new Error('The file has no rows.');
  if (rows.length > FILE_ROWS_MAX)
    throw new Error(
      `The file has ${rows.length.toLocaleString('en-US')} rows. Import at most ${FILE_ROWS_MAX.toLocaleString('en-US')} at once.`,
    );
  return rows;
}

/** Bytes that are not UTF-8 become U+FFFD, which the import refuses in its row. */
function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return new TextDecoder().decode(bytes);
}

interface FirebaseUser {
  email?: unknown;
  emailVerified?: unknown;
  phoneNumber?: unknown;
  lastSignedInAt?: unknown;
  createdAt?: unknown;
  recipient?: unknown;
  verified_at?: unknown;
}

/** Firebase has verified every phone number, but not every address. */
function rowsOfJson(text: string): FileRow[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new Error('The file is not valid JSON.');
  }
  const { users, recipients } = (Array.isArray(parsed) ? { recipients: parsed } : parsed) as Record<
    string,
    unknown
  >;
  const all = [users, recipients].find(Array.isArray) as (FirebaseUser | null)[] | undefined;
  if (!all) throw new Error('The file has no list of users. Export it with firebase auth:export.');
  return all.flatMap((user, n) => {
    const { email, emailVerified, phoneNumber, recipient } = user ?? {};
    const date = user?.verified_at ?? user?.lastSignedInAt ?? user?.createdAt;
    const verified_at = date === undefined || date === null ? {} : { verified_at: String(date) };
    const named = [recipient, phoneNumber, emailVerified === true ? email : undefined].filter(
      (one) => one !== undefined && one !== null,
    );
    return named.map((one) => ({ row: n + 1, recipient: String(one), ...verified_at }));
  });
}

/** Without a row of names, the first column is the recipient and the second one the date. */
function rowsOfCsv(text: string): FileRow[] {
  const [first, ...others] = cellsOf(text);
  if (!first) return [];
  const names = first.map((name) =>
    name
      .replace(/^\uFEFF/, '')
      .trim()
      .toLowerCase(),
  );
  const columns = names.flatMap((name, n) => (RECIPIENT_NAMES.has(name) ? [n] : []));
  const hasNames = columns.length > 0;
  const date = hasNames ? names.findIndex((name) => DATE_NAMES.has(name)) : 1;
  const all = hasNames ? others : [first, ...others];
  return all.flatMap((cells, n) => {
    const verified_at = cells[date]?.trim() ?? '';
    const given = (hasNames ? columns : [0]).map((column) => cells[column]?.trim() ?? '');
    const filled = given.filter((recipient) => recipient !== '');
    return (filled.length > 0 ? filled : ['']).map((recipient) => ({
      row: n + (hasNames ? 2 : 1),
      recipient: recipient.replace(/^\uFEFF?'?/, ''),
      ...(verified_at === '' ? {} : { verified_at: verified_at.replace(/^'/, '') }),
    }));
  });
}

/** The cells of RFC 4180 CSV, separated by the first line's commas, semicolons or tabs. Empty lines are skipped. */
function cellsOf(text: string): string[][] {
  const line = text.slice(0, text.search(/[\r\n]|$/));
  const separator =
    [',', ';', '\t'].toSorted((a, b) => line.split(b).length - line.split(a).length)[0] ?? ',';
  const rows: string[][] = [];
  let cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  const endRow = (): void => {
    cells.push(cell);
    if (cells.length > 1 || cell.trim() !== '') rows.push(cells);
    cells = [];
    cell = '';
  };
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string;
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = false;
    } else if (character === '"' && cell === '') isQuoted = true;
    else if (character === separator) {
      cells.push(cell);
      cell = '';
    } else if (character === '\n' || character === '\r') {
      endRow();
    } else cell += character;
  }
  if (cell !== '' || cells.length > 0) endRow();
  return rows;
}
