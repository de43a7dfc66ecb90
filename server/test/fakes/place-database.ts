import ipaddr from 'ipaddr.js';

/** A place database in MaxMind's format, version 2.0 (https://maxmind.github.io/MaxMind-DB/), with records for IPv4 ranges. */
export function placeDatabase(records: Record<string, object>): Buffer {
  const data: Buffer[] = [];
  const nodes: [Branch, Branch][] = [[null, null]];
  for (const [range, record] of Object.entries(records)) {
    const at = data.reduce((sum, { length }) => sum + length, 0);
    data.push(encode(record));
    const [address, length] = ipaddr.IPv4.parseCIDR(range);
    let node = 0;
    for (let bit = 0; bit < length; bit += 1) {
      const side = ((address.octets[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1;
      const pair = nodes[node] as [Branch, Branch];
      if (bit === length - 1) {
        pair[side] = { data: at };
        continue;
      }
      pair[side] ??= { node: nodes.push([null, null]) - 1 };
      node = (pair[side] as { node: number }).node;
    }
  }
  const metadata = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 0,
    database_type: 'Test',
    description: {},
    ip_version: 4,
    languages: ['en'],
    node_count: nodes.length,
    record_size: 24,
  };
  const tree = nodes.flatMap((pair) => pair.map((branch) => record24(branch, nodes.length)));
  return Buffer.concat([...tree, Buffer.alloc(16), ...data, MARKER, encode(metadata)]);
}

type Branch = null | { node: number } | { data: number };
const MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');

function record24(branch: Branch, nodeCount: number): Buffer {
  const value = branch === null ? nodeCount : 'node' in branch ? branch.node : nodeCount + 16 + branch.data;
  return Buffer.from([value >> 16, (value >> 8) & 255, value & 255]);
}

/** Texts and sizes stay below 29, so each size fits into the control byte. */
function encode(value: unknown): Buffer {
  if (typeof value === 'string')
    return Buffer.concat([control(2, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === 'number')
    return Buffer.concat([control(6, 4), Buffer.from(Uint32Array.of(value).buffer).reverse()]);
  if (Array.isArray(value)) return Buffer.concat([Buffer.from([value.length, 11 - 7]), ...value.map(encode)]);
  const entries = Object.entries(value as object);
  return Buffer.concat([control(7, entries.length), ...entries.flatMap((entry) => entry.map(encode))]);
}

const control = (type: number, size: number): Buffer => Buffer.from([(type << 5) | size]);
