import { randomBytes } from 'node:crypto'
import { asc, eq, gt } from 'drizzle-orm'

import { acrossOrganizations, inOrganization, systemCtx, type Ctx } from '../../infra/ctx'
import type { EncryptedTable } from '../../infra/keys/keyring'
import type { EndpointRow } from './row'
import { webhookEndpoints } from './table'

const SECRET_COLUMNS = ['secretSealed', 'previousSecretSealed', 'headersSealed'] as const

type SecretColumn = (typeof SECRET_COLUMNS)[number]

/** An endpoint by its key. */
type EndpointKey = Pick<EndpointRow, 'organizationId' | 'id'>

const placeOf = ({ organizationId, id }: EndpointKey, column: SecretColumn): string =>
  `${organizationId}/webhook_endpoints/${column}/${id}`

/** Returns a secret encrypted for its endpoint and column. */
export const sealSecret = (
  { vault }: Pick<Ctx, 'vault'>,
  endpoint: EndpointKey,
  column: SecretColumn,
  plain: string,
): string => vault.seal(plain, placeOf(endpoint, column))

/** Returns the signing secrets that are valid now, the newest first. */
export function signingSecrets(
  { vault }: Pick<Ctx, 'vault'>,
  row: EndpointRow,
  nowMs: number,
): string[] {
  const { previousSecretSealed: previous, previousExpiresAtMs } = row
  return [
    vault.open(row.secretSealed, placeOf(row, 'secretSealed')),
    ...(previous !== null && previousExpiresAtMs !== null && previousExpiresAtMs > nowMs
      ? [vault.open(previous, placeOf(row, 'previousSecretSealed'))]
      : []),
  ]
}

/** Returns the custom headers with their values. */
export const customHeaders = (
  { vault }: Pick<Ctx, 'vault'>,
  row: EndpointRow,
): Record<string, string> =>
  row.headersSealed === null
    ? {}
    : (JSON.parse(vault.open(row.headersSealed, placeOf(row, 'headersSealed'))) as Record<
        string,
        string
      >)

const SECRET_BYTES = 32

/** Returns a new signing secret (Standard Webhooks). */
export const newSigningSecret = (): string =>
  `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`

const BATCH = 50

/** Signing secrets and custom headers of endpoints. */
export const sealedWebhookEndpoints: EncryptedTable = {
  name: 'webhook_endpoints',
  reencryptIn(tx, deps, after) {
    const rows = tx
      .select()
      .from(webhookEndpoints)
      .where(
        acrossOrganizations(
          'a key rotation encrypts the secrets of all organizations',
          gt(webhookEndpoints.id, after),
        ),
      )
      .orderBy(asc(webhookEndpoints.id))
      .limit(BATCH)
      .all()
    for (const row of rows) {
      const changes = SECRET_COLUMNS.flatMap((column) => {
        const sealed = row[column]
        const anew = sealed === null ? null : deps.vault.reseal(sealed, placeOf(row, column))
        return anew === sealed ? [] : [[column, anew] as const]
      })
      if (changes.length > 0)
        tx.update(webhookEndpoints)
          .set(Object.fromEntries(changes))
          .where(
            inOrganization(
              systemCtx(deps, row.organizationId),
              webhookEndpoints,
              eq(webhookEndpoints.id, row.id),
            ),
          )
          .run()
    }
    return rows.length < BATCH ? null : (rows.at(-1)?.id ?? null)
  },
}
