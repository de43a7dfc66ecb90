import type { ApiScope } from '@sixdigit/contract/api-keys.ts';
import type { Queryable } from '../platform/db/sql.ts';
import type { KeyCaller } from '../platform/http/serve.ts';

/** The caller of a public API request, with the settings of its key and those of the account that a send needs. */
export interface ApiCaller extends KeyCaller {
  /** The request uses the secret from before the key's last rotation. */
  uses_retired_secret: boolean;
  is_test: boolean;
  scopes: ApiScope[];
  is_expired: boolean;
  /** null: every network */
  allowed_networks: string[] | null;
  is_suspended: boolean;
  default_otp_length: number;
  default_expiry_seconds: number;
  /** empty: the product's defaults */
  default_message: string;
  default_subject: string;
  sender_name: string;
  reply_to_email: string;
}

/** A caller as the database last described it. Every change gives it another version. */
export interface KnownCaller {
  version: string;
  caller: ApiCaller;
}

export interface CountedRequest extends KnownCaller {
  /** position among the key's requests in this second */
  position: number;
}

/** A request whose key is looked up. With `known`, the database describes the caller again only if it has changed. */
export interface AskedKey {
  hash: Buffer;
  known: KnownCaller | undefined;
}

interface LiveKeyRow {
  hash: Buffer;
  asked: number;
  used: number;
  version: string;
  /** null if the known version is the current one */
  caller: ApiCaller | null;
}

/** The distinct keys of requests, with how many each has. */
function grouped(asked: readonly AskedKey[]) {
  const groups = new Map<string, { hash: Buffer; times: number; known: KnownCaller | undefined }>();
  for (const { hash, known } of asked) {
    const id = hash.toString('latin1');
    const group = groups.get(id);
    if (!group) groups.set(id, { hash, times: 1, known });
    else {
      group.times += 1;
      group.known = known ?? group.known;
    }
  }
  return groups;
}

type Groups = ReturnType<typeof grouped>;

const parameters = (groups: Groups): [Buffer[], number[], (string | null)[]] => {
  const all = [...groups.values()];
  return [
    all.map(({ hash }) => hash),
    all.map(({ times }) => times),
    all.map(({ known }) => known?.version ?? null),
  ];
};

function countedOf(
  asked: readonly AskedKey[],
  groups: Groups,
  rows: readonly LiveKeyRow[],
): (CountedRequest | undefined)[] {
  const found = new Map(
    rows.map(({ hash, asked: times, used, version, caller }) => {
      const id = hash.toString('latin1');
      // The requests of this batch are the last ones counted.
      return [id, { version, caller: caller ?? groups.get(id)?.known?.caller, position: used - times }];
    }),
  );
  return asked.map(({ hash }) => {
    const group = found.get(hash.toString('latin1'));
    if (!group?.caller) return undefined;
    group.position += 1;
    return { version: group.version, caller: group.caller, position: group.position };
  });
}

/** Looks up the keys of requests and counts the requests. Undefined for unknown and deleted keys. */
export async function countRequests(
  sql: Queryable,
  asked: readonly AskedKey[],
): Promise<(CountedRequest | undefined)[]> {
  const groups = grouped(asked);
  const rows = await sql.rows<LiveKeyRow>('select * from admit_requests($1, $2, $3)', parameters(groups));
  return countedOf(asked, groups, rows);
}
