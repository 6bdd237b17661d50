import { Type, type Static } from '@sinclair/typebox'

/**
 * The archive of an organization: one ZIP file, without a password of its own.
 *
 * Entries, in this order. Other names do not occur. Entries may use ZIP64.
 *
 * - `tables/users.ndjson`: the people whom rows refer to.
 * - `tables/<table>.ndjson`: the rows of a table. Tables stand behind those that their rows refer to
 *   (`organizationTables`), and tables without rows are there too.
 * - `media/xx/<30 hex digits>`: the bytes of a stored file.
 * - `files.ndjson`: one line for each file that a row names, `["xx/<name>", bytes, "<SHA-256>"]`, or
 *   `["xx/<name>", null, null]` if the file did not exist any more. Empty without media.
 * - `manifest.json`: see `ArchiveManifest`. It describes all other entries, so it comes last.
 *
 * A line is one row: a JSON array with a value for each of the part's `columns`, and ends with a
 * line feed. Columns are named, so a reader of another version finds those that it knows. The ID of
 * the organization is in the manifest only: rows have no column for it. All rows are as they were at
 * one moment, `as_of`, so every reference between them holds. A row may refer to a later one of the
 * same table.
 *
 * The version rises once per release in which a table or column of an archive changes. A reader knows
 * all older ones (`organization-import/archive/older-formats.ts`) and refuses newer ones. Versions from
 * before the first release wrote 1.
 *
 * Values by type of the column (`archive-values.ts`); `null` is `null`:
 *
 * - `integer`: a number, or a text of decimal digits if it is not between -(2^53-1) and 2^53-1.
 * - `real`: a number, or `"Infinity"` or `"-Infinity"`.
 * - `text`: a text. JSON in it is not changed, so it has IDs as texts too.
 * - `id`: a UUID in lower case, or the empty text where the database has an empty value.
 * - `secret`: a text encrypted with the passphrase (`archive-secrets.ts`); `null` if there is none
 *   or if it stayed behind, also where the column of the database is required.
 *
 * IDs stay the same. Numbers of rows (`row` of contacts, messages, audit log and AI chunks) belong to
 * the database that wrote them: a reader gives new ones, in the order of the lines.
 * `contact_rollups.contact` is the `row` of a line of `contacts`. `stored_as` names a file as
 * `files.ndjson` does; a reader gives it a new name.
 *
 * Parts of the kind `sums` hold counts whose facts may not be stored any more. They replace what
 * triggers counted while the rows were read in; where they are counts of `part` 0, triggers count
 * nothing there. Other derived rows are not in the archive (`table-fates.ts`).
 *
 * Parts of the kind `moving` are only in archives that one cell sends to another: jobs that are not
 * done, and idempotency keys. A reader refuses them in a file.
 */
export const ARCHIVE_FORMAT = 'switchboard.organization-archive'
export const ARCHIVE_VERSION = 2

/** Names of the entries. */
export const ARCHIVE_ENTRIES = {
  manifest: 'manifest.json',
  files: 'files.ndjson',
  part: (table: string): string => `tables/${table}.ndjson`,
  file: (storedAs: string): string => `media/${storedAs}`,
}

/** A name of the file store, as in `files.ndjson` and in the column `stored_as`. */
export const ARCHIVED_FILE = /^[0-9a-f]{2}\/[0-9a-f]{30}$/

/** The part with the people whom rows refer to. Its columns are those of `archive-users.ts`. */
export const USERS_PART = 'users'

const COLUMN_TYPES = ['integer', 'real', 'text', 'id', 'secret'] as const
export type ArchiveColumnType = (typeof COLUMN_TYPES)[number]

const Name = Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$' })
const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

/** A column of a part. */
const ArchiveColumn = Type.Object({
  name: Name,
  type: Type.Union(COLUMN_TYPES.map((type) => Type.Literal(type))),
})

/** A file of rows. The digest and the number of bytes are of its unpacked content. */
const ArchivePart = Type.Object({
  table: Name,
  kind: Type.Union([
    Type.Literal('users'),
    Type.Literal('carried'),
    Type.Literal('sums'),
    Type.Literal('moving'),
  ]),
  columns: Type.Array(ArchiveColumn, { minItems: 1, maxItems: 200 }),
  /** Columns that tell its rows apart; none if there is one row. Secrets are bound to them. */
  key: Type.Array(Name, { maxItems: 20 }),
  rows: Count,
  bytes: Count,
  sha256: Sha256,
})
export type ArchivePart = Static<typeof ArchivePart>

/** What the key of an archive costs at least: 8 MiB, once. */
export const LEAST_COST = { memory_kib: 8_192, passes: 1, parallelism: 1 } as const

/** How the key that encrypted the secrets is derived from the passphrase. */
const ArchiveEncryption = Type.Object({
  kdf: Type.Literal('argon2id'),
  /** Base64. */
  salt: Type.String({ minLength: 16, maxLength: 88 }),
  /** Limits, so that a foreign file cannot take all memory. */
  memory_kib: Type.Integer({ minimum: LEAST_COST.memory_kib, maximum: 262_144 }),
  passes: Type.Integer({ minimum: LEAST_COST.passes, maximum: 10 }),
  parallelism: Type.Integer({ minimum: LEAST_COST.parallelism, maximum: 4 }),
  /** ID of the key. Another passphrase has another one, and secrets begin with it. */
  key_id: Type.String({ pattern: '^[0-9a-f]{8}$' }),
})
export type ArchiveEncryption = Static<typeof ArchiveEncryption>

/** The sum of a column of counts that are not in the archive. */
const DerivedTotal = Type.Object({ table: Name, column: Name, total: Type.Integer() })
export type DerivedTotal = Static<typeof DerivedTotal>

/** What `manifest.json` says. */
export const ArchiveManifest = Type.Object({
  format: Type.Literal(ARCHIVE_FORMAT),
  version: Type.Integer({ minimum: 1, maximum: ARCHIVE_VERSION }),
  /** Version of the program that wrote it. */
  product_version: Type.String({ maxLength: 100 }),
  /** The newest migration of its database. With another one, tables and columns may differ. */
  schema_version: Type.String({ maxLength: 200 }),
  /** The moment whose rows it holds, ISO 8601 in UTC. */
  as_of: Type.String({ maxLength: 40 }),
  organization: Type.Object({
    id: Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }),
    slug: Type.String({ minLength: 1, maxLength: 200 }),
    name: Type.String({ minLength: 1, maxLength: 500 }),
  }),
  /** The highest number of its events. A reader begins above it, because receivers know the numbers. */
  event_seq: Type.Integer({ minimum: 0, maximum: 1e12 }),
  /** `null` without a passphrase: then all secrets stayed behind. */
  encryption: Type.Union([ArchiveEncryption, Type.Null()]),
  /** In the order of the entries, which is the order to read them in. */
  parts: Type.Array(ArchivePart, { minItems: 1, maxItems: 500 }),
  files: Type.Object({
    /** Whether the archive was to contain files. */
    is_included: Type.Boolean(),
    /** Files in `media/`, the sum of their bytes, and files that did not exist any more. */
    files: Count,
    bytes: Count,
    missing: Count,
    /** Digest of `files.ndjson`. */
    sha256: Sha256,
  }),
  /** Counts that a reader builds again, to compare them with. */
  totals: Type.Array(DerivedTotal, { maxItems: 500 }),
  /** Columns whose secrets stayed behind, and in how many rows. Empty if all are there. */
  secrets_left: Type.Array(Type.Object({ table: Name, column: Name, rows: Count }), {
    maxItems: 500,
  }),
})
export type ArchiveManifest = Static<typeof ArchiveManifest>
