import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const FOLDERS = ['server/src', 'contract/src', 'guarantees'];

/** Interfaces and object types at the top level of a file, with their fields. */
function* objectsIn(file: string): Generator<{ name: string; fields: string[] }> {
  const text = readFileSync(join(ROOT, file), 'utf8');
  for (const [, name = '', body = ''] of text.matchAll(
    /^(?:export )?(?:interface|type) (\w+)[^;{]*\{\n(.*?)\n\}/gms,
  ))
    yield {
      name,
      fields: [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??:/gm)].map(([, field = '']) => field),
    };
}

test('the fields of an object are all snake_case, as in rows and the API, or all camelCase', () => {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `${folder}/${file}`),
  );
  const mixed = files.flatMap((file) =>
    [...objectsIn(file)]
      .filter(
        ({ fields }) =>
          fields.some((field) => field.includes('_')) && fields.some((field) => /[a-z][A-Z]/.test(field)),
      )
      .map(({ name, fields }) => `${file}: ${name} (${fields.join(', ')})`),
  );
  expect(mixed).toEqual([]);
});
