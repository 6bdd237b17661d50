import { getTableName } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

import type { Ctx } from '../ctx'
import { encryptedColumns, type EncryptedRow, type EncryptedTable } from './encrypted-columns'

type Headers = Record<string, string>

/** The headers of requests that a user configured, encrypted in the column `headersSealed` of a table. */
export interface SealedHeaders {
  /** Returns headers encrypted for the row with an ID; `null` for none. */
  seal: (ctx: Pick<Ctx, 'vault' | 'organizationId'>, id: string, headers: Headers) => string | null
  /** Returns the headers of a row in plain text, for one request. */
  open: (ctx: Pick<Ctx, 'vault'>, row: EncryptedRow & { headersSealed: string | null }) => Headers
  /** The table, to encrypt its headers with another key. */
  table: EncryptedTable
}

/** Returns how a table of organizations keeps headers. */
export function sealedHeaders(
  table: SQLiteTable & Record<keyof EncryptedRow | 'headersSealed', SQLiteColumn>,
): SealedHeaders {
  const placeOf = ({ organizationId, id }: EncryptedRow): string =>
    `${organizationId}/${getTableName(table)}/headers/${id}`
  return {
    seal: ({ vault, organizationId }, id, headers) =>
      Object.keys(headers).length === 0
        ? null
        : vault.seal(JSON.stringify(headers), placeOf({ organizationId, id })),
    open: ({ vault }, row) =>
      row.headersSealed === null
        ? {}
        : (JSON.parse(vault.open(row.headersSealed, placeOf(row))) as Headers),
    table: encryptedColumns(table, ['headersSealed'], placeOf),
  }
}
