import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { SETTING_NAMES } from '../src/settings/settings.ts';
import { ROOT, read } from './source.ts';

/** What comments and documents name must exist. */
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => existsSync(join(ROOT, file)));
const names = new Set(files.map((file) => basename(file)));
/** Every file and folder, and each of their endings: `otp/send/batch.ts` of `server/src/otp/send/batch.ts`. */
const endings = new Set(
  [...files, ...files.map((file) => dirname(file))].flatMap((file) => {
    const parts = file.split('/');
    return parts.map((_, n) => parts.slice(n).join('/'));
  }),
);

const documents = files.filter((file) => file.endsWith('.md') && file !== 'CHANGELOG.md');
const code = files.filter(
  (file) =>
    /\.(?:tsx?|mjs|sql|css|sh)$/.test(file) &&
    !/\.gen\.ts$|references\.test\.ts$|sql\/migrations\//.test(file),
);

const commentsOf = (text: string): string =>
  [...text.matchAll(/\/\*\*?[\s\S]*?\*\/|(?<=^|\s)(?:\/\/|--) .*$/gm)].map(([comment]) => comment).join('\n');
const texts = [
  ...documents.map((file) => ({ file, text: read(file) })),
  ...code.map((file) => ({ file, text: commentsOf(read(file)) })),
];

test('every file named in a comment or a document exists', () => {
  const missing = texts.flatMap(({ file, text }) =>
    [
      ...text.matchAll(
        /(?<![\w@:/.*{<>}-])((?:[\w.@-]+\/)*[\w.-]*\w\.(?:tsx?|mjs|sql|md|sh|yml))\b(?![\w*-])/g,
      ),
    ]
      .map(([, named = '']) => named)
      .filter(
        (named) =>
          !(named.includes('/')
            ? endings.has(normalize(named)) || endings.has(normalize(join(dirname(file), named)))
            : names.has(named)),
      )
      .map((named) => `${file} names ${named}`),
  );
  expect([...new Set(missing)]).toEqual([]);
});

test('every command named in a comment or a document exists', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const missing = texts.flatMap(({ file, text }) =>
    [...text.matchAll(/npm run ([\w:-]+)/g)]
      .filter(([, name = '']) => !(name in scripts))
      .map(([named]) => `${file} names ${named}`),
  );
  expect(missing).toEqual([]);
});

/**
 * `NAME_FILE` names the file of any setting, and `PREMIUM_RATE` is a word of Google's library. etcd and the scripts in `deploy`
 * have settings of their own, so has Twilio's client, and proxies have their usual ones. The last four are errors of CAMARA.
 */
const OTHER_NAMES =
  /_FILE$|^PREMIUM_RATE$|^ETCD_|^BACKUP_METRICS$|^(?:HTTPS?|NO)_PROXY$|^POOLER_URL$|^SHARED_BUFFERS$|^TWILIO_(?:REGION|EDGE)$|^(?:INVALID_ARGUMENT|PERMISSION_DENIED|QUOTA_EXCEEDED|TOO_MANY_REQUESTS)$/;

/** A sample reads settings of its own, in any language. */
const programsBeside = (file: string): string[] =>
  files
    .filter(
      (one) => file.startsWith('clients/samples/') && dirname(one).startsWith(dirname(file)) && one !== file,
    )
    .map(read);

test('every setting or constant named in a comment or a document exists', () => {
  const sources = code.map(read).join('\n');
  const missing = texts.flatMap(({ file, text }) =>
    [...text.matchAll(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=[^`]*)?`/g)]
      .map(([, name = '']) => name)
      .filter((name) => !OTHER_NAMES.test(name) && !SETTING_NAMES.some((one) => one === name))
      .filter((name) => !new RegExp(`\\b(?:const |env\\.)${name}\\b`).test(sources))
      .filter((name) => !programsBeside(file).some((program) => program.includes(name)))
      // Statuses and errors of the companies, which the records of the carriers contain.
      .filter((name) => file !== 'docs/message-companies.md' || !sources.includes(name))
      .map((name) => `${file} names ${name}`),
  );
  expect([...new Set(missing)]).toEqual([]);
});

test('comments, documents and texts use American spelling, as the API does', () => {
  const british =
    /(?<![\w./-])(?:behaviour|(?:dis)?colour|favour|honour|neighbour|catalogue|centre|licence|defence|labelled|cancelled|fulfil(?!l)|(?:un)?(?:recogn|normal|serial|synchron|author|organ|optim|summar|initial)is(?:e|ing|able|ation))(?:e?[ds]|ing)?(?![\w./-])/gi;
  const sentences = (text: string): string =>
    [...text.matchAll(/'[a-z][^'\n]* [^'\n]*'|"[a-z][^"\n]* [^"\n]*"/gi)]
      .map(([sentence]) => sentence)
      .join('\n');
  const found = [
    ...texts,
    ...code
      // Mutants quote code. The palette also finds commands by British words.
      .filter(
        (file) =>
          !/\.(?:sql|sh)$|guarantees\/mutants\/|references\.test\.ts$|palette\/commands\.ts$/.test(file),
      )
      .map((file) => ({ file, text: sentences(read(file)) })),
  ].flatMap(({ file, text }) =>
    [...text.replace(/`[^`\n]*`|\]\([^)\n]*\)/g, '').matchAll(british)].map(([word]) => `${file}: ${word}`),
  );
  expect([...new Set(found)]).toEqual([]);
});

/** The rows of each table of a document. A blank line ends a table, so rows after one are a table without a header. */
const tablesOf = (text: string): string[][] =>
  text
    .replace(/^```[\s\S]*?^```/gm, '')
    .split(/\n(?!\|)/)
    .map((block) => block.split('\n').filter((line) => line.startsWith('|')))
    .filter((rows) => rows.length > 0);
const cellsOf = (row: string): number => row.replaceAll('\\|', '').split('|').length - 2;

test('every row of a Markdown table is below its header and has its columns', () => {
  const wrong = documents.flatMap((file) =>
    tablesOf(read(file)).flatMap(([header = '', line = '', ...rows]) =>
      /^\|(?:\s*:?-+:?\s*\|)+$/.test(line)
        ? rows.filter((row) => cellsOf(row) !== cellsOf(header)).map((row) => `${file}: ${row}`)
        : [`${file}: ${header}`],
    ),
  );
  expect(wrong).toEqual([]);
});

test('every decision has a date', () => {
  const undated = documents
    .filter((file) => file.startsWith('docs/decisions/'))
    .filter((file) => !/^# .+\n\nDecided on \d{1,2} [A-Z][a-z]+ \d{4}\.\n/.test(read(file)));
  expect(undated).toEqual([]);
});
