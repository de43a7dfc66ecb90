import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail, root } from './run.mjs';

/**
 * `npm run release` prepares the release of the newest version in CHANGELOG.md: checks its entry, sets the version, and writes the
 * hashes of its migrations to server/sql/released. Run it again after a merge; after the tag, a version never changes.
 */
const MOST_LINES = 60;
const file = (...path) => join(root, ...path);
const json = (path) => JSON.parse(readFileSync(path, 'utf8'));
const write = (path, value) => writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);

const [, version, entry] =
  /^## (\d+\.\d+\.\d+)\n([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(readFileSync(file('CHANGELOG.md'), 'utf8')) ??
  [];
if (!version) fail('CHANGELOG.md has no entry such as "## 0.2.0".');
const lines = entry.trim().split('\n').length;
if (lines > MOST_LINES) fail(`The entry of ${version} has ${lines} lines. Shorten it to ${MOST_LINES}.`);
if (!/^### Upgrading$/m.test(entry))
  fail(`The entry of ${version} does not say from which versions one can upgrade ("### Upgrading").`);
if (execFileSync('git', ['tag', '--list', `v${version}`], { cwd: root, encoding: 'utf8' }).trim())
  fail(`${version} is released. Begin an entry for the next version in CHANGELOG.md.`);

const manifest = json(file('package.json'));
const order = (text) => text.split('.').reduce((sum, part) => sum * 10_000 + Number(part), 0);
if (order(version) < order(manifest.version))
  fail(`${version} is older than ${manifest.version} in package.json.`);
write(file('package.json'), { ...manifest, version });
const lock = json(file('package-lock.json'));
lock.version = version;
lock.packages[''].version = version;
write(file('package-lock.json'), lock);

const migrations = file('server', 'sql', 'migrations');
const hashOf = (name) =>
  createHash('sha256')
    .update(readFileSync(join(migrations, name)))
    .digest('hex');
const released = file('server', 'sql', 'released');
if (!existsSync(released)) mkdirSync(released);
write(
  join(released, `${version}.json`),
  Object.fromEntries(
    readdirSync(migrations)
      .sort()
      .map((name) => [name, hashOf(name)]),
  ),
);
console.log(
  `Ready to release ${version}: commit this, then tag it with\n  git tag -a v${version} -m "Sixdigit ${version}"`,
);
