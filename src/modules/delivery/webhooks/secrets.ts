import { randomBytes } from 'node:crypto'

import { eq } from 'drizzle-orm'

import {
  acrossOrganizations,
  inOrganization,
  systemCtx,
  type Ctx,
  type Deps,
} from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { encryptedColumns } from '../../../infra/keys/encrypted-columns'
import type { EndpointRow } from './row'
import { webhookEndpoints } from './table'

const SECRET_COLUMNS = ['secretSealed', 'previousSecretSealed', 'headersSealed'] as const

type SecretColumn = (typeof SECRET_COLUMNS)[number]

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

/** Signing secrets and custom headers of endpoints. */
export const sealedWebhookEndpoints = encryptedColumns(webhookEndpoints, SECRET_COLUMNS, placeOf)

/**
 * Gives every endpoint a new signing secret in place of one that cannot be read, without custom
 * headers, in the caller's transaction.
 */
export function renewLostSecretsIn(tx: Tx, deps: Deps): void {
  const { organizationId, id } = webhookEndpoints
  const all = tx
    .select({ organizationId, id })
    .from(webhookEndpoints)
    .where(acrossOrganizations('a lost key takes the secrets of all'))
    .all()
  for (const endpoint of all)
    tx.update(webhookEndpoints)
      .set({
        secretSealed: sealSecret(deps, endpoint, 'secretSealed', newSigningSecret()),
        previousSecretSealed: null,
        previousExpiresAtMs: null,
        headersSealed: null,
        headerNames: '[]',
      })
      .where(
        inOrganization(
          systemCtx(deps, endpoint.organizationId),
          webhookEndpoints,
          eq(id, endpoint.id),
        ),
      )
      .run()
}
