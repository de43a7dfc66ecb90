import { expect, test } from 'vitest';
import { ALLOWED, BASE, doorOf, moduleOf, SRC, serverFiles } from './modules.ts';
import { circlesOf, filesBelow, filesImportedBy } from './source.ts';

const imports = serverFiles.flatMap((from) => filesImportedBy(from).map((to) => ({ from, to })));

test('modules import only the modules that the table allows', () => {
  const wrong = imports.flatMap(({ from, to }) => {
    const [own, other] = [moduleOf(from), moduleOf(to)];
    if (own === undefined || other === undefined || own === other) return [];
    if (BASE.includes(other) && !BASE.includes(own)) return [];
    const allowed = BASE.includes(own) ? BASE.slice(0, BASE.indexOf(own)) : ALLOWED[own];
    return allowed?.includes(other) ? [] : [`${from} imports ${to}, but ${own} may not import ${other}`];
  });
  expect(wrong).toEqual([]);
});

test('modules are imported by their doors', () => {
  const wrong = imports.flatMap(({ from, to }) => {
    const other = moduleOf(to);
    if (other === undefined || other === 'platform' || doorOf(to) === doorOf(from)) return [];
    if (to === doorOf(to)) return [];
    if (from === `${SRC}app.ts` && /\/(routes|jobs)\.ts$/.test(to)) return [];
    return [`${from} imports ${to}, but other modules may import only ${doorOf(to)}`];
  });
  expect(wrong).toEqual([]);
});

test('every file belongs to a module of the table, and every module has a door', () => {
  const stray = serverFiles.filter(
    (file) => file.slice(SRC.length).includes('/') && moduleOf(file) === undefined,
  );
  expect(stray.map((file) => `${file} is in no module of ALLOWED, so no import of it is checked`)).toEqual(
    [],
  );
  const doors = serverFiles
    .filter((file) => ![undefined, 'platform'].includes(moduleOf(file)))
    .map((file) => ({ file, door: doorOf(file) }));
  const missing = doors.filter(({ door }) => !serverFiles.includes(door));
  expect(missing.map(({ file, door }) => `${file} has no door: ${door} is missing`)).toEqual([]);
});

test('the table of modules has no circle', () => {
  expect(circlesOf(new Map(Object.entries(ALLOWED)))).toEqual([]);
});

test.each([
  ['server', ['server/src', 'server/test']],
  ['contract', ['contract/src']],
  ['web', ['web/src']],
  ['runs of whole systems', ['guarantees', 'e2e']],
])('no files of the %s import each other in a circle', (_, folders) => {
  const files = folders.flatMap((folder) => filesBelow(folder));
  const circles = circlesOf(new Map(files.map((file) => [file, filesImportedBy(file)])));
  expect(circles).toEqual([]);
});

test('runs of whole systems share only the harness', () => {
  const wrong = filesBelow('guarantees')
    .flatMap((from) => filesImportedBy(from).map((to) => ({ from, to })))
    .filter(({ from, to }) => {
      const [own = '', other = ''] = [from.split('/')[1], to.split('/')[1]];
      return own !== other && to.startsWith('guarantees/') && other !== 'harness';
    })
    .map(({ from, to }) => `${from} imports ${to}, but a run may import only harness, server and contract`);
  expect(wrong).toEqual([]);
});
