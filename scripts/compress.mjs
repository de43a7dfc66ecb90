import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const COMPRESSIBLE = /\.(?:js|mjs|css|svg|json|txt|map|wasm)$/;
/** Below this size, the header outweighs the savings. */
const LEAST_BYTES = 512;

const forms = {
  '.gz': (bytes) => promisify(gzip)(bytes, { level: 9 }),
  '.br': (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
};

/**
 * Writes `.gz` and `.br` copies of every file that shrinks. Skips the page, which gets a nonce in each response, and hidden
 * folders, which are never served.
 */
export async function compressFiles(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && COMPRESSIBLE.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/[\\/]\./.test(path.slice(folder.length)));
  await Promise.all(
    files.map(async (path) => {
      const bytes = readFileSync(path);
      if (bytes.length < LEAST_BYTES) return;
      for (const [ending, compress] of Object.entries(forms)) {
        const compressed = await compress(bytes);
        if (compressed.length < bytes.length) writeFileSync(path + ending, compressed);
      }
    }),
  );
}

// `node scripts/compress.mjs <folder>`: for the container image, which builds the dashboard without `npm run build`.
if (import.meta.main) await compressFiles(process.argv[2]);
