import type { ApiScope } from '@sixdigit/contract/api-keys.ts';
import type { Language } from '@sixdigit/contract/languages.ts';
import type { ProofMode } from '@sixdigit/contract/proof.ts';
import type { Queryable } from '../platform/db/sql.ts';
import type { KeyCaller } from '../platform/http/serve.ts';

/** The caller of a public API request, with its key's settings and the account settings that a send needs. */
export interface ApiCaller extends KeyCaller {
  /** The request uses the secret from before the key's last rotation. */
  uses_retired_secret: boolean;
  scopes: ApiScope[];
  is_expired: boolean;
  /** null: any network */
  allowed_networks: string[] | null;
  is_suspended: boolean;
  default_otp_length: number;
  default_expiry_seconds: number;
  /** empty: the product's defaults */
  default_message: string;
  default_subject: string;
  /** Absent in a caller of the previous version. */
  default_language?: Language;
  /** Without a requested language, the recipient's country chooses. Absent as above. */
  language_by_country?: boolean;
  sender_name: string;
  reply_to_email: string;
  /** When a send with the key needs a proof of work. Absent as above. */
  require_proof?: ProofMode;
}

/** A caller as last read from the database. Every change to it produces a new version. */
export interface KnownCaller {
  version: string;
  caller: ApiCaller;
}

export interface CountedRequest extends KnownCaller {
  /** position among the key's requests in this second */
  position: number;
}

/** A request whose key is looked up. If `known` is set, the database returns the caller only if it has changed since. */
export interface AskedKey {
  hash: Buffer;
  known: KnownCaller | undefined;
}

interface LiveKeyRow {
  hash: Buffer;
  asked: number;
  used: number;
  version: string;
  /** null if the known version is current */
  caller: ApiCaller | null;
}

/** Groups requests by key and counts them. */
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
      // `used` already includes this batch, whose requests take the last positions.
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

/** Looks up each request's key and counts the request. The result is undefined for unknown and deleted keys. */
export async function countRequests(
  sql: Queryable,
  asked: readonly AskedKey[],
): Promise<(CountedRequest | undefined)[]> {
  const groups = grouped(asked);
  const rows = await sql.rows<LiveKeyRow>('select * from admit_requests($1, $2, $3)', parameters(groups));
  return countedOf(asked, groups, rows);
}
