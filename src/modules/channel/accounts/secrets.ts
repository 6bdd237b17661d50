import { isNotNull } from 'drizzle-orm'

import { sha256Hex } from '../../../lib/hash'
import { acrossOrganizations, systemCtx, type Ctx, type Deps } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { encryptedColumns } from '../../../infra/keys/encrypted-columns'
import { HIDDEN, type FieldChange } from '../../organization/audit/record'
import { notifyAboutAccountIn } from './notify'
import { accounts } from './table'
import type { AccountRow } from './view'
import { noticeText } from '../../organization/notifications/catalog'

/** The columns that hold a number's secrets. */
export const SECRET_COLUMNS = [
  'accessTokenSealed',
  'appSecretSealed',
  'verifyTokenSealed',
  'pinSealed',
  'flowPrivateKeySealed',
  'flowFormerKeySealed',
  'flowNextKeySealed',
] as const

/** Name of a secret's column. */
export type SecretColumn = (typeof SECRET_COLUMNS)[number]

const placeOf = (at: { organizationId: string; id: string }, column: SecretColumn): string =>
  `${at.organizationId}/accounts/${column}/${at.id}`

/** Returns a secret encrypted for its row and column; `null` clears it. */
export const sealSecret = (
  ctx: Pick<Ctx, 'vault' | 'organizationId'>,
  accountId: string,
  column: SecretColumn,
  secret: string | null,
) =>
  secret === null
    ? null
    : ctx.vault.seal(secret, placeOf({ organizationId: ctx.organizationId, id: accountId }, column))

/** Returns a secret of a number in plain text, for one call, or `null` if it is not set. */
export function openSecret(
  deps: Pick<Ctx, 'vault'>,
  row: AccountRow,
  column: SecretColumn,
): string | null {
  const sealed = row[column]
  return sealed === null ? null : deps.vault.open(sealed, placeOf(row, column))
}

/** Re-encrypts the secrets of phone numbers. */
export const sealedAccounts = encryptedColumns(accounts, SECRET_COLUMNS, placeOf)

/** Returns the hash by which the verification request finds a number's verify token. */
export const verifyTokenHash = (token: string): string => sha256Hex(token)

/** Secrets of a request. Omitted ones stay unchanged; `null` clears one. */
export interface SecretInput {
  access_token?: string | undefined
  app_secret?: string | null | undefined
  webhook_verify_token?: string | null | undefined
  pin?: string | null | undefined
}

/** Returns the columns of the given secrets, encrypted. Omits secrets that were not given. */
export function sealSecrets(ctx: Ctx, id: string, input: SecretInput) {
  const { access_token, app_secret, webhook_verify_token: verify, pin } = input
  return {
    ...(access_token === undefined
      ? {}
      : { accessTokenSealed: sealSecret(ctx, id, 'accessTokenSealed', access_token) }),
    ...(app_secret === undefined
      ? {}
      : { appSecretSealed: sealSecret(ctx, id, 'appSecretSealed', app_secret) }),
    ...(pin === undefined ? {} : { pinSealed: sealSecret(ctx, id, 'pinSealed', pin) }),
    ...(verify === undefined
      ? {}
      : {
          verifyTokenSealed: sealSecret(ctx, id, 'verifyTokenSealed', verify),
          verifyTokenHash: verify === null ? null : verifyTokenHash(verify),
        }),
  }
}

/** The secret columns of a disconnected number. */
export const NO_SECRETS = {
  accessTokenSealed: null,
  appSecretSealed: null,
  verifyTokenSealed: null,
  verifyTokenHash: null,
  pinSealed: null,
} as const

/** The columns of the Flow endpoint's key pair after a number is disconnected or replaced. */
export const NO_FLOW_KEY = {
  flowPrivateKeySealed: null,
  flowFormerKeySealed: null,
  flowNextKeySealed: null,
  flowPublicKey: null,
  flowKeyStatus: null,
  flowKeyCreatedAtMs: null,
} as const

/** Returns which secrets were replaced, with hidden values. */
export const secretChanges = (before: AccountRow, after: AccountRow): FieldChange[] =>
  SECRET_FIELDS.filter(([column]) => before[column] !== after[column]).map(([, field]) => ({
    field,
    old_value: HIDDEN,
    new_value: HIDDEN,
  }))

const SECRET_FIELDS = [
  ['accessTokenSealed', 'access_token'],
  ['appSecretSealed', 'app_secret'],
  ['verifyTokenSealed', 'webhook_verify_token'],
  ['pinSealed', 'pin'],
] as const

/**
 * Empties the secrets of all numbers, which cannot be read any more, and tells the people who may
 * enter them again, in the caller's transaction. A verify token goes on working by its hash.
 */
export function forgetLostSecretsIn(tx: Tx, deps: Deps): void {
  const { verifyTokenHash: _, ...lost } = NO_SECRETS
  const live = tx
    .select({ organizationId: accounts.organizationId, id: accounts.id, name: accounts.name })
    .from(accounts)
    .where(
      acrossOrganizations(
        'a lost key takes the secrets of all',
        isNotNull(accounts.accessTokenSealed),
      ),
    )
    .all()
  tx.update(accounts)
    .set({ ...lost, ...NO_FLOW_KEY })
    .where(acrossOrganizations('a lost key takes the secrets of all'))
    .run()
  for (const { organizationId, ...account } of live)
    notifyAboutAccountIn(tx, systemCtx(deps, organizationId), account, {
      kind: 'token_invalid',
      severity: 'critical',
      title: 'Access token lost',
      text: noticeText('token_lost'),
      body:
        'The secret key of this server was lost, and with it the access token. Enter the token ' +
        'again; until then nothing is sent.',
    })
}
