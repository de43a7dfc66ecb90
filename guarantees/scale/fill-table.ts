import { fillTable } from './fill.ts';

const { url, table, year } = JSON.parse(process.argv[2] ?? '{}');
await fillTable(url, table, year, (written) => process.send?.(written));
